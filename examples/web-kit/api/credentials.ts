// The API key or token of whoever uses the page, where the server asks for one. Kept for the session of the browser: in
// each tab, and handed to a new one by those that are open. Sent to the origin that served the page and to no other.

import { useSyncExternalStore } from 'react';

import { APP } from '../app';
import { forgetAll, keepFor } from './queue';

const PLACE = `${APP}-credential`;

/** The event of the window when a credential was given. */
export const SIGNED_IN = 'trestle-signed-in';

/** Whether the person has to be asked: for the first time, or because what they gave was refused. */
export type Asked = 'no' | 'first' | 'again';

/** What tabs of one origin say to each other. No other origin hears it. */
type Message =
  | { readonly says: 'who is signed in?' }
  | { readonly says: 'signed in'; readonly credential: string }
  | { readonly says: 'signed out' };

const tabs = 'BroadcastChannel' in window ? new BroadcastChannel(PLACE) : null;

/** How long the other tabs have to hand over their credential before the person is asked, in milliseconds. */
const ANSWER_MS = 250;

let asked: Asked = 'no';
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function post(message: Message): void {
  tabs?.postMessage(message);
}

tabs?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  const own = credential();
  if (data.says === 'who is signed in?' && own !== null && asked === 'no') post({ says: 'signed in', credential: own });
  // Who was refused takes what another tab was given; who is somebody already remains it.
  if (data.says === 'signed in' && (own === null || asked === 'again')) take(data.credential);
  if (data.says === 'signed out' && own !== null) beginAnew(null);
});

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

/** What to send as `Authorization: Bearer`, if anything. */
export function credential(): string | null {
  return sessionStorage.getItem(PLACE);
}

/** Keeps what the person gave, here and in the tabs that have nothing. */
export function signIn(text: string): void {
  take(text);
  post({ says: 'signed in', credential: text });
}

function take(text: string): void {
  sessionStorage.setItem(PLACE, text);
  asked = 'no';
  tell();
  window.dispatchEvent(new Event(SIGNED_IN));
}

/** Forgets the credential in all tabs, and everything that was read, typed, changed or searched for with it. */
export function signOut(): void {
  post({ says: 'signed out' });
  void forgetAll().finally(() => beginAnew(null));
}

function beginAnew(text: string | null): void {
  sessionStorage.clear();
  if (text !== null) sessionStorage.setItem(PLACE, text);
  // The address has the search and what is open in it.
  window.history.replaceState(null, '', window.location.pathname);
  window.location.reload();
}

let person: string | undefined;

/** The server said who the credential belongs to. Nothing of an earlier person stays on the page. */
export function belongsTo(who: string): void {
  if (person !== undefined && person !== who) beginAnew(credential());
  person = who;
  void keepFor(who).catch(() => {});
}

let late: ReturnType<typeof setTimeout> | undefined;

/** The server refused what was sent with this credential, or without any. */
export async function refuse(sent: string | null): Promise<void> {
  await answered;
  if (sent !== credential()) {
    // The answer to what was sent before another one was given: it is asked for once more, with that.
    clearTimeout(late);
    late = setTimeout(() => window.dispatchEvent(new Event(SIGNED_IN)));
    return;
  }
  asked = sent === null ? 'first' : 'again';
  tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the person has to be asked. */
export function useCredentialAsked(): Asked {
  return useSyncExternalStore(subscribe, () => asked);
}

/** Whether the person is signed in. */
export function useSignedIn(): boolean {
  return useSyncExternalStore(subscribe, () => credential() !== null);
}
