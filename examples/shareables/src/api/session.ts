// The tokens by which requests open shareables: kept for the tab, and renewed before they expire by the refresh token, by the
// personal link or by the view passcode, whichever this browser has.

import { listeners } from 'trestle-web-kit/api/listeners';
import { APP } from 'trestle-web-kit/app';

import { known, onKnown, type Known } from './known';

export interface Token {
  readonly token: string;
  readonly expiresAt: string | null;
}

/** Keeps a new token by what is known. Answers false if the server refuses it, and rejects if the server does not answer. */
type Renew = (known: Known) => Promise<boolean>;

const PREFIX = `${APP}-token/`;
/** A token that expires sooner is renewed before it is used, in milliseconds. */
const AHEAD_MS = 60_000;

let renew: Renew = () => Promise.resolve(false);
const renewing = new Map<string, Promise<string | null>>();
/** The shareables that nothing of this browser opens any more. */
const closed = new Set<string>();
const { announce, subscribe, use } = listeners();

/** Tells how tokens are renewed. */
export function renewBy(way: Renew): void {
  renew = way;
}

export function keepToken(shortId: string, token: Token): void {
  sessionStorage.setItem(PREFIX + shortId, JSON.stringify(token));
  closed.delete(shortId);
  announce();
}

/** Forgets the token of a shareable. */
export function forgetToken(shortId: string): void {
  sessionStorage.removeItem(PREFIX + shortId);
}

/** Forgets a token that the server refuses. */
export function dropToken(shortId: string, refused: string): void {
  if (stored(shortId)?.token === refused) sessionStorage.removeItem(PREFIX + shortId);
}

function stored(shortId: string): Token | null {
  const text = sessionStorage.getItem(PREFIX + shortId);
  return text === null ? null : (JSON.parse(text) as Token);
}

/** The token for a shareable; nothing if the person has to open it by a passcode. */
export async function tokenFor(shortId: string): Promise<string | null> {
  const now = stored(shortId);
  if (now && (now.expiresAt === null || Date.parse(now.expiresAt) - Date.now() > AHEAD_MS)) return now.token;
  const running = renewing.get(shortId) ?? renewed(shortId).finally(() => renewing.delete(shortId));
  renewing.set(shortId, running);
  return running;
}

/** A refresh token is good for one use: the tabs of a browser take turns, where they can. */
async function renewed(shortId: string): Promise<string | null> {
  const once = async () => {
    const one = known(shortId);
    const before = stored(shortId)?.token;
    if (!one || !(await renew(one))) {
      // The person may have opened it meanwhile.
      const now = stored(shortId)?.token;
      if (now !== undefined && now !== before) return now;
      closed.add(shortId);
      announce();
      return null;
    }
    return stored(shortId)?.token ?? null;
  };
  const locks: LockManager | undefined = navigator.locks;
  return locks ? locks.request(PREFIX + shortId, once) : once();
}

/**
 * Waits until the person opens a shareable again, whose server refused the token `refused`. Answers false if it is forgotten
 * instead: nothing opens it then.
 */
export function openedAgain(shortId: string, refused: string | null): Promise<boolean> {
  const isOpen = () => (stored(shortId)?.token ?? refused) !== refused;
  if (!known(shortId)) return Promise.resolve(false);
  if (isOpen()) return Promise.resolve(true);
  closed.add(shortId);
  announce();
  return new Promise((resolve) => {
    const look = () => {
      const open = isOpen();
      if (!open && known(shortId)) return;
      for (const stop of stops) stop();
      resolve(open);
    };
    const stops = [onKnown(look), subscribe(look)];
  });
}

/** Whether the person has to give a passcode. */
export function useIsClosed(shortId: string): boolean {
  return use(() => closed.has(shortId));
}
