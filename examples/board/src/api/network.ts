// Whether the server can be reached, and what waits until it can.

import { RetryLink } from '@apollo/client/link/retry';
import { ServerError } from '@apollo/client';
import { useSyncExternalStore } from 'react';

/** A change that has not got through after so many tries, with a network there, has failed. */
const TRIES = 5;

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

for (const event of ['online', 'offline']) {
  window.addEventListener(event, () => {
    for (const listener of listeners) listener();
  });
}

/** Whether the browser has a network. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

/** Resolves as soon as the browser has a network. */
function online(): Promise<void> {
  if (navigator.onLine) return Promise.resolve();
  return new Promise((resolve) => {
    window.addEventListener('online', () => resolve(), { once: true });
  });
}

/**
 * Sends again what did not get through. Nothing happens twice by it: a change expects the version
 * that it was made on, and what is created has its id from here.
 */
export const retry = new RetryLink({
  delay: { initial: 200, max: 5000, jitter: true },
  attempts: async (count, _operation, error) => {
    if (!isPassing(error)) return false;
    if (!navigator.onLine) {
      await online();
      return true;
    }
    return count < TRIES;
  },
});

function isPassing(error: unknown): boolean {
  if (ServerError.is(error)) return error.statusCode === 503 || error.statusCode === 429;
  // `fetch` rejects with a TypeError where no answer came.
  return error instanceof TypeError;
}
