// Follows the changes of others, as soon as the first page is there, or a moment later if a part of it is late. What changed in
// between is noticed then.

import { type ApolloClient, ApolloLink } from '@apollo/client';
import { finalize } from 'rxjs';

/** The longest wait for answers of the first page before the rest begins, in milliseconds. */
const PATIENCE_MS = 2000;
/** The longest wait before what did not arrive is asked for again, in milliseconds. */
const LONGEST_MS = 30_000;

// A browser sends some six requests at a time to a server: what follows changes is asked for before those of the first page, all of
// which may be late.
let loading = import('./live');
loading.catch(() => {});

let pending = 0;
const { promise, resolve: settle } = Promise.withResolvers<void>();
/** Resolves when everything that the first page asks for was answered, or has taken too long. */
export const answered = promise;
setTimeout(settle, PATIENCE_MS);

/** Notices when everything was answered. */
export const noticing = new ApolloLink((operation, forward) => {
  pending += 1;
  return forward(operation).pipe(
    finalize(() => {
      pending -= 1;
      if (pending === 0) settle();
    }),
  );
});

/** Follows all changes until the answered function is called. */
export function followSoon(client: ApolloClient, endpoint: string): () => void {
  let over = false;
  let stop = () => {};
  async function start(): Promise<void> {
    await answered;
    // What was answered is painted first.
    await new Promise((resolve) => setTimeout(resolve));
    for (let wait = 1000; !over; wait = Math.min(wait * 2, LONGEST_MS)) {
      try {
        const { follow } = await loading;
        if (!over) stop = follow(client, endpoint);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, wait));
        loading = import('./live');
      }
    }
  }
  void start();
  return () => {
    over = true;
    stop();
  };
}
