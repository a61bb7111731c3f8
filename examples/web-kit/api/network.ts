// Whether the server can be reached, and what waits until it can.

import { ApolloLink, CombinedGraphQLErrors, type ErrorLike } from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';
import { finalize, map } from 'rxjs';

import { isUnknown, NotReached, retryAfter } from './answer';
import { listeners } from './listeners';

declare module '@apollo/client' {
  interface DefaultContext {
    /** Whether the operation must not be sent again if its answer did not arrive. */
    once?: boolean;
    /** Whether it is sent again until the server decides it: a change that is stored, and what is read in order to send one. */
    kept?: boolean;
  }
}

/** A request that has failed so many times, although the server can be reached, has failed for good. */
const TRIES = 5;
/** The first wait before a request is sent again, about, and the longest one, in milliseconds. */
const SOON_MS = 400;
const LONGEST_MS = 5000;
/** How often a server that is gone is looked for, and how long it has for an answer, in milliseconds. */
const LOOK_MS = 1000;
const PATIENCE_MS = 10_000;

/** The event of the window when the server can be reached again. */
export const REACHED = 'trestle-reached';

/**
 * `live`: changes of others arrive. `connecting`: the server answers, but changes of others do not arrive yet.
 * `gone`: the server does not answer. `offline`: the browser has no network.
 */
export type Connection = 'live' | 'connecting' | 'gone' | 'offline';

let following = false;
let gone = false;
let looking: Promise<void> | null = null;
let probe: (signal: AbortSignal) => Promise<unknown> = () => Promise.reject(new NotReached());
/** What did not reach the server when it was last sent. */
const unanswered = new Set<ApolloLink.Operation>();
const { announce, subscribe, use } = listeners();

function connection(): Connection {
  if (!navigator.onLine) return 'offline';
  if (gone || unanswered.size > 0) return 'gone';
  return following ? 'live' : 'connecting';
}

for (const event of ['online', 'offline']) {
  window.addEventListener(event, () => {
    announce();
    if (connection() !== 'offline') void look();
  });
}

export function useConnection(): Connection {
  return use(connection);
}

/** Notes that the WebSocket of live changes was opened or lost. */
export function setFollowing(now: boolean): void {
  following = now;
  if (now) found();
  else void look();
  announce();
}

/** Has the server looked for by a request that rejects unless it answers. */
export function lookBy(request: typeof probe): void {
  probe = request;
}

/** Looks for the server until it answers: a request failed, or the WebSocket did. */
function look(): Promise<void> {
  looking ??= search().finally(() => {
    looking = null;
  });
  return looking;
}

async function search(): Promise<void> {
  while (navigator.onLine) {
    try {
      await probe(AbortSignal.timeout(PATIENCE_MS));
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

/** Waits until the server is found, where it is gone. */
export async function untilReached(): Promise<void> {
  await look();
  if (!isReachable()) await reached();
}

function wasNotReached(operation: ApolloLink.Operation, was: boolean): void {
  if (unanswered.has(operation) === was) return;
  if (was) unanswered.add(operation);
  else unanswered.delete(operation);
  announce();
}

/** Makes a failure of an answer that decides nothing. */
const decided = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    map((result) => {
      const { data, errors = [] } = result as ApolloLink.Result;
      const isEmpty = Object.values(data ?? {}).every((value) => value === null);
      const isOpen = retryAfter(errors) !== null || (operation.getContext().kept === true && isUnknown(errors));
      if (isEmpty && isOpen) throw new CombinedGraphQLErrors(result as ApolloLink.Result);
      return result;
    }),
  ),
);

function waitOf(error: ErrorLike): number {
  return (CombinedGraphQLErrors.is(error) && retryAfter(error.errors)) || 0;
}

async function mayGoAgain(count: number, operation: ApolloLink.Operation, error: ErrorLike): Promise<boolean> {
  const { kept = false, once = false } = operation.getContext();
  if (error instanceof NotReached) {
    wasNotReached(operation, true);
    if (once) return false;
    await untilReached();
  } else {
    wasNotReached(operation, false);
    const isOpen = CombinedGraphQLErrors.is(error) && (retryAfter(error.errors) !== null || (kept && isUnknown(error.errors)));
    if (!isOpen) return false;
  }
  return kept || (count < TRIES && waitOf(error) <= LONGEST_MS);
}

/**
 * Sends again what did not get through. Nothing happens twice by it: a change expects the version that it was made on, and
 * what is created has its id from here. What would happen twice is marked `once`: it is not sent again if it may have arrived.
 */
export const retry = ApolloLink.from([
  new ApolloLink((operation, forward) => forward(operation).pipe(finalize(() => wasNotReached(operation, false)))),
  new RetryLink({
    delay: (count, _, error) => Math.max(waitOf(error), Math.random() * Math.min(LONGEST_MS, SOON_MS * 2 ** (count - 1))),
    attempts: mayGoAgain,
  }),
  decided,
]);
