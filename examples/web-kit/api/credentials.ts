// The API key or token of whoever uses the page, where the server asks for one. Kept for the session of the browser: in
// each tab, and handed to a new one by those that are open. Sent to the origin that served the page and to no other.

import { APP } from '../app';
import { listeners } from './listeners';
import { forgetLast, noteAnybody, noteSignedIn } from './person';
import { ANSWER, PROVIDER_NAME } from './provider';
import { forgetAll, keepFor, madeFor } from './queue';

const PLACE = `${APP}-credential`;
const SESSION = `${APP}-session`;

/** The event of the window when a credential was given, or one in the place of one that was refused. */
export const SIGNED_IN = 'trestle-signed-in';
/** The event of the window when a token took the place of one that is about to end. */
export const RENEWED = 'trestle-renewed';
/** The event of the window when the server said that the person is who the changes on this page belong to. */
export const CONFIRMED = 'trestle-confirmed';

export const ENDED = 'Your session has ended.';

/** Whether the person has to be asked: for the first time, or because what they gave was refused. */
export type Asked = 'no' | 'first' | 'again';

/** What the identity provider gave beside the access token, which is the credential. */
export interface Session {
  /** Absent if the provider gave none, or takes it no longer. */
  readonly refreshToken?: string | undefined;
  /** Who they are to the provider. */
  readonly subject: string;
  /** Names the session to the provider when the person signs out. */
  readonly idToken?: string | undefined;
  /** When the token has to be renewed, and when it ends: milliseconds of this device's clock. */
  readonly renew: number;
  readonly end: number;
  /** Whether it was made in the place of one that the server refused. */
  readonly forced: boolean;
}

/** What tabs of one origin say to each other. No other origin hears it. */
type Message =
  | { readonly says: 'who is signed in?' }
  | { readonly says: 'signed in'; readonly credential: string; readonly session: Session | null; readonly isNew: boolean }
  | { readonly says: 'renewed'; readonly credential: string; readonly session: Session }
  | { readonly says: 'refused'; readonly credential: string }
  | { readonly says: 'signed out' };

const tabs = 'BroadcastChannel' in window ? new BroadcastChannel(PLACE) : null;

/** How long the other tabs have to hand over their credential before the person is asked, in milliseconds. */
const ANSWER_MS = 250;

let asked: Asked = 'no';
let problem: string | null = null;
/** Whether the problem is that of a sign-in, which says more than that one is needed. */
let failed = false;
let ending: number | null = null;
/** Whether this page had a credential at some time. */
let hadOne = sessionStorage.getItem(PLACE) !== null;
const { announce, use } = listeners();

function post(message: Message): void {
  tabs?.postMessage(message);
}

tabs?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  const own = credential();
  if (data.says === 'who is signed in?' && own !== null && asked === 'no') {
    post({ says: 'signed in', credential: own, session: session(), isNew: false });
  }
  // Who is somebody already remains it.
  if (data.says === 'signed in' && (own === null || (asked === 'again' && own !== data.credential && isInPlace(data)))) {
    take(data.credential, data.session);
  }
  if (data.says === 'renewed' && session()?.subject === data.session.subject) takeRenewed(data.credential, data.session);
  if (data.says === 'refused' && own === data.credential) void renewal().then((it) => it?.renewRefused());
  if (data.says === 'signed out' && own !== null) beginAnew(null);
});

/**
 * Whether what another tab has may take the place of what was refused here. A session goes on as that of the same person: what
 * they changed would be lost to another one. Whose a key is, nobody knows here: one is taken when it is given, not later.
 */
function isInPlace({ session: other, isNew }: { readonly session: Session | null; readonly isNew: boolean }): boolean {
  const own = session();
  return own ? other?.subject === own.subject : isNew;
}

/** Loads what talks to the identity provider, and lets it renew the session. */
async function renewal() {
  try {
    const oidc = await import('./oidc');
    oidc.keepRenewed();
    return oidc;
  } catch {
    // Without the file, the session ends by itself.
    return null;
  }
}

/** Completes a sign-in at the provider, if it sent the person back with an answer. */
async function complete(): Promise<void> {
  if (!ANSWER || (!ANSWER.question && credential() !== null)) return;
  try {
    const { finish } = await import('./oidc');
    const { token, session: given } = await finish(ANSWER);
    signIn(token, given);
  } catch (error) {
    notSignedIn(error instanceof Error && error.name === 'SignInError' ? error.message : 'The sign-in could not be completed. Try again.');
  }
}

/** Ends when it is known what the provider answered. */
export const completed: Promise<void> | null = ANSWER && complete();

/** The other tabs had their time to answer. */
const answered = new Promise<void>((resolve) => {
  if (!tabs || credential() !== null) {
    resolve();
    return;
  }
  post({ says: 'who is signed in?' });
  setTimeout(resolve, ANSWER_MS);
  window.addEventListener(SIGNED_IN, () => resolve(), { once: true });
});

if (session()) void renewal();

/** What to send as `Authorization: Bearer`, if anything. */
export function credential(): string | null {
  return sessionStorage.getItem(PLACE);
}

/** What the provider gave beside it, if the person signed in there. */
export function session(): Session | null {
  return JSON.parse(sessionStorage.getItem(SESSION) ?? 'null') as Session | null;
}

/** Keeps what the person gave, or what the provider gave for them, here and in the tabs that have nothing. */
export function signIn(text: string, given: Session | null = null): void {
  take(text, given);
  post({ says: 'signed in', credential: text, session: given, isNew: true });
}

function keepCredential(text: string, given: Session | null): void {
  hadOne = true;
  sessionStorage.setItem(PLACE, text);
  if (given) sessionStorage.setItem(SESSION, JSON.stringify(given));
  else sessionStorage.removeItem(SESSION);
}

function take(text: string, given: Session | null): void {
  keepCredential(text, given);
  asked = 'no';
  problem = null;
  failed = false;
  announce();
  window.dispatchEvent(new Event(SIGNED_IN));
  if (given) void renewal();
}

/** Keeps a token in the place of an earlier one of the same session, in all tabs. */
export function renewed(text: string, given: Session): void {
  post({ says: 'renewed', credential: text, session: given });
  takeRenewed(text, given);
}

function takeRenewed(text: string, given: Session): void {
  const isNew = credential() !== text;
  if (asked !== 'no' && isNew) {
    take(text, given);
    return;
  }
  keepCredential(text, given);
  void renewal();
  if (!isNew) return;
  window.dispatchEvent(new Event(RENEWED));
}

/** Forgets the credential in all tabs, and everything that was read, typed, changed or searched for with it. */
export function signOut(): void {
  const ending = session();
  // Before the others hear of it: one that begins anew asks this tab who is signed in.
  sessionStorage.clear();
  forgetLast();
  post({ says: 'signed out' });
  if (ending) {
    // Nothing is shown while the provider is asked where its session ends.
    asked = 'first';
    announce();
  }
  void forgetAll().finally(async () => {
    // Who is signed in at the provider would be signed in here again by one click, whoever clicks.
    const address = ending && (await import('./oidc').then(({ end }) => end(ending)).catch(() => null));
    if (address) window.location.assign(address);
    else beginAnew(null);
  });
}

function beginAnew(text: string | null): void {
  const given = text === null ? null : session();
  sessionStorage.clear();
  if (text !== null) keepCredential(text, given);
  // The address has the search and what is open in it.
  window.history.replaceState(null, '', window.location.pathname);
  window.location.reload();
}

let person: string | undefined;

/** The server said who the credential belongs to. Nothing of an earlier person stays on the page. */
export function belongsTo(who: string): void {
  // An answer that arrives after the person has signed out says nothing of who the page belongs to.
  if (credential() === null && hadOne) return;
  const before = person ?? madeFor();
  if (credential() === null) noteAnybody(who);
  else noteSignedIn(who);
  void keepFor(who).catch(() => {});
  person = before ?? who;
  if (person === who) window.dispatchEvent(new Event(CONFIRMED));
  else beginAnew(credential());
}

let late: ReturnType<typeof setTimeout> | undefined;

/** Has what was refused before another credential was there asked for once more, with that. */
function askAnew(): void {
  clearTimeout(late);
  late = setTimeout(() => window.dispatchEvent(new Event(SIGNED_IN)));
}

/** The server refused what was sent with this credential, or without any. */
export async function refuse(sent: string | null): Promise<void> {
  await completed;
  await answered;
  if (sent !== credential()) {
    askAnew();
    return;
  }
  const given = session();
  // One that was refused as soon as it was made is not made once more.
  if (sent && given?.refreshToken && !(given.forced && given.end > Date.now())) {
    post({ says: 'refused', credential: sent });
    const oidc = await renewal();
    if (oidc) await oidc.renewRefused();
    else askAgain(ENDED);
    if (sent !== credential()) askAnew();
    return;
  }
  askAgain(given && given.end > Date.now() ? `The server refuses the token of ${PROVIDER_NAME}.` : given && ENDED);
}

/** Asks the person who they are, and says why. */
export function askAgain(why: string | null): void {
  asked = credential() === null ? 'first' : 'again';
  if (why && !failed) problem = why;
  announce();
  // The same person may be signed in since in another tab.
  if (session()) post({ says: 'who is signed in?' });
}

/** Notes when the session ends, if that is soon and nothing renews it. */
export function endsSoon(at: number | null): void {
  if (at === ending) return;
  ending = at;
  announce();
}

/** When the session ends, if that is soon and nothing renews it: milliseconds of this device's clock. */
export function useEndsSoon(): number | null {
  return use(() => ending);
}

/** Says why the person could not be signed in at the provider. */
export function notSignedIn(why: string): void {
  problem = why;
  failed = true;
  announce();
}

/** What went wrong when the person signed in at the provider, in a sentence. */
export function useSignInProblem(): string | null {
  return use(() => problem);
}

/** Whether the person has to be asked. */
export function useCredentialAsked(): Asked {
  return use(() => asked);
}

/** Whether the person is signed in. */
export function useSignedIn(): boolean {
  return use(() => credential() !== null);
}
