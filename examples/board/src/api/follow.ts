// Follows the changes of others, as soon as the first page is there: what that takes is loaded after it, and what changed in
// between is noticed then.

import { type ApolloClient, ApolloLink } from '@apollo/client';
import { finalize } from 'rxjs';

/** The longest wait before what did not arrive is asked for again, in milliseconds. */
const LONGEST_MS = 30_000;

let pending = 0;
let settle = () => {};
/** Resolves when everything that the first page asks for was answered. */
export const answered = new Promise<void>((resolve) => {
  settle = resolve;
});

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
        const { follow } = await import('./live');
        if (!over) stop = follow(client, endpoint);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }
  void start();
  return () => {
    over = true;
    stop();
  };
}
