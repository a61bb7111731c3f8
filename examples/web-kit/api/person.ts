// The last person of this browser session, as the server named them: who changes belong to on a page that was opened without
// a network. A mark that the browser forgets when it is closed says that the session is the same; it names nobody. Who did not
// have to sign in is the same person in each session.

import { APP } from '../app';
import { newId } from './ids';

const MARK = `${APP}-visit`;
const PLACE = `${APP}-person`;

interface Last {
  /** The mark of their session; empty for who did not have to sign in. */
  readonly visit: string | null;
  readonly who: string;
}

/** The mark of this browser session, if it has one. */
function visit(): string | null {
  const [, value = null] = new RegExp(`(?:^|; )${MARK}=([^;]*)`, 'u').exec(document.cookie) ?? [];
  return value;
}

/** Who they were; nobody in a browser that was closed since, or that keeps no marks. */
export function lastPerson(): string | null {
  try {
    const last = JSON.parse(localStorage.getItem(PLACE) ?? 'null') as Last | null;
    return last && (last.visit === null || last.visit === visit()) ? last.who : null;
  } catch {
    return null;
  }
}

/** In a browser that has no room for the note, nobody is the last person: not the one before. */
function note(last: Last): void {
  try {
    localStorage.setItem(PLACE, JSON.stringify(last));
  } catch {
    forgetLast();
  }
}

/** Notes who did not have to sign in. */
export function noteAnybody(who: string): void {
  note({ visit: null, who });
}

/** Notes who is signed in. */
export function noteSignedIn(who: string): void {
  const mark = visit() ?? newId();
  const secure = window.location.protocol === 'https:' ? '; secure' : '';
  document.cookie = `${MARK}=${mark}; path=${import.meta.env.BASE_URL}; samesite=strict${secure}`;
  note({ visit: mark, who });
}

export function forgetLast(): void {
  try {
    localStorage.removeItem(PLACE);
  } catch {
    // A browser that keeps nothing for this page has no note either.
  }
}
