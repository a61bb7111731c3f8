// The API key or token of whoever uses the board, where the server asks for one. Kept for the tab
// alone, and sent to the origin that served the page and to no other.

import { useSyncExternalStore } from 'react';

const PLACE = 'trestle-board-credential';

let asked = false;
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
  asked = false;
  tell();
}

/** The server wants to know who asks. */
export function askForCredential(): void {
  asked = true;
  tell();
}

/** Whether the person has to be asked. */
export function useCredentialAsked(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
}
