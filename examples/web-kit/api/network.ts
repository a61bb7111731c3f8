// Whether the server can be reached, and what waits until it can.

import { ServerError } from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';
import { useSyncExternalStore } from 'react';

declare module '@apollo/client' {
  interface DefaultContext {
    /** Whether the operation must not be sent again if its answer did not arrive. */
    once?: boolean;
  }
}

/** A request that has failed so many times, although the server can be reached, has failed for good. */
const TRIES = 5;
/** How often a server that is gone is looked for, in milliseconds. */
const LOOK_MS = 1000;

/** The event of the window when the server can be reached again. */
export const REACHED = 'trestle-reached';

/**
 * `live`: changes of others arrive. `connecting`: the server answers, but changes of others do not arrive yet.
 * `gone`: the server does not answer. `offline`: the browser has no network.
 */
export type Connection = 'live' | 'connecting' | 'gone' | 'offline';

let following = false;
let gone = false;
let looking = false;
const listeners = new Set<() => void>();

function connection(): Connection {
  if (!navigator.onLine) return 'offline';
  if (gone) return 'gone';
  return following ? 'live' : 'connecting';
}

function announce(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

for (const event of ['online', 'offline']) {
  window.addEventListener(event, () => {
    announce();
    if (connection() !== 'offline') void look();
  });
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, connection);
}

/** Notes that the WebSocket of live changes was opened or lost. */
export function setFollowing(now: boolean): void {
  following = now;
  if (now) found();
  else void look();
  announce();
}

/** Asks the server for the page's own address until it answers: a request failed, or the WebSocket did. */
async function look(): Promise<void> {
  if (looking || !navigator.onLine) return;
  looking = true;
  while (navigator.onLine) {
    try {
      await fetch(import.meta.env.BASE_URL, { method: 'HEAD', cache: 'no-store' });
      found();
      break;
    } catch {
      if (!gone) {
        gone = true;
        announce();
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
  looking = false;
}

function found(): void {
  if (!gone) return;
  gone = false;
  announce();
  window.dispatchEvent(new Event(REACHED));
}

/** Whether the server answered last, as far as is known. */
export function isReachable(): boolean {
  return navigator.onLine && !gone;
}

function reached(): Promise<void> {
  return new Promise((resolve) => {
    const stop = subscribe(() => {
      if (!isReachable()) return;
      stop();
      resolve();
    });
  });
}

/**
 * Sends again what did not get through. Nothing happens twice by it: a change expects the version that it was made on, and
 * what is created has its id from here. What would happen twice is marked `once`: it is not sent again if it may have arrived.
 */
export const retry = new RetryLink({
  delay: { initial: 200, max: 5000, jitter: true },
  attempts: async (count, operation, error) => {
    if (!isPassing(error)) return false;
    if (operation.getContext().once && !ServerError.is(error)) return false;
    if (!ServerError.is(error)) await look();
    if (isReachable()) return count < TRIES;
    await reached();
    return true;
  },
});

function isPassing(error: unknown): boolean {
  if (ServerError.is(error)) return error.statusCode === 503 || error.statusCode === 429;
  // `fetch` rejects with a TypeError if no answer arrived.
  return error instanceof TypeError;
}
