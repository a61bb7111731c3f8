// The API key or token of whoever uses the board, where the server asks for one. Kept for the tab
// alone, and sent to the origin that served the page and to no other.

import { useSyncExternalStore } from 'react';

const PLACE = 'trestle-board-credential';

/** The event of the window when a credential was given. */
export const SIGNED_IN = 'trestle-board-signed-in';

/** Whether the person has to be asked: for the first time, or because what they gave was refused. */
export type Asked = 'no' | 'first' | 'again';

let asked: Asked = 'no';
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

/** What to send as `Authorization: Bearer`, if anything. */
export function credential(): string | null {
  return sessionStorage.getItem(PLACE);
}

/** Keeps what the person gave. */
export function signIn(text: string): void {
  sessionStorage.setItem(PLACE, text);
  asked = 'no';
  tell();
  window.dispatchEvent(new Event(SIGNED_IN));
}

/** Forgets the credential, and everything that was read, typed or searched for with it. */
export function signOut(): void {
  beginAnew(null);
}

function beginAnew(text: string | null): void {
  sessionStorage.clear();
  if (text !== null) sessionStorage.setItem(PLACE, text);
  // The address has the search and the open application in it.
  window.history.replaceState(null, '', window.location.pathname);
  window.location.reload();
}

let person: string | undefined;

/** The server said who the credential belongs to. Nothing of an earlier person stays on the page. */
export function belongsTo(who: string): void {
  if (person !== undefined && person !== who) beginAnew(credential());
  person = who;
}

/** The server refused what was sent with this credential, or without any. */
export function refuse(sent: string | null): void {
  // The answer to what was sent before the person gave another one.
  if (sent !== credential()) return;
  asked = sent === null ? 'first' : 'again';
  tell();
}

/** Whether the person has to be asked. */
export function useCredentialAsked(): Asked {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
}
