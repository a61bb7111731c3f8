// Sends the changes of one shareable one after the other, as they were made: an item that is added without a network is there
// before it is ticked. A change whose token is refused, because the passcode has changed, waits with those after it until
// the person opens the shareable again.

import { ApolloLink, Observable } from '@apollo/client';
import { listeners } from 'trestle-web-kit/api/listeners';

import { noteChange } from './readAgain';
import { openedAgain } from './session';

const newest = new Map<string, Promise<void>>();

/** The changes of a shareable that wait until it is opened again. */
interface Held {
  readonly shortId: string;
  readonly count: number;
}

/** How many changes have no answer yet, by shareable. */
const unanswered = new Map<string, number>();
/** The shareables whose changes were refused with the token of before. */
const refused = new Set<string>();
const changes = listeners();
let held: readonly Held[] = [];

function announce(): void {
  held = [...refused].map((shortId) => ({ shortId, count: unanswered.get(shortId) ?? 0 }));
  changes.announce();
}

function count(shortId: string, more: number): void {
  unanswered.set(shortId, (unanswered.get(shortId) ?? 0) + more);
  if (refused.has(shortId)) announce();
}

/** What waits until its shareable is opened again. */
export function useHeld(): readonly Held[] {
  return changes.use(() => held);
}

export const inTurn = new ApolloLink((operation, forward) => {
  const { shareable, kept } = operation.getContext();
  if (!shareable || !kept) return forward(operation);
  const before = newest.get(shareable) ?? Promise.resolve();
  const { promise: turn, resolve: finish } = Promise.withResolvers<void>();
  newest.set(shareable, turn);
  count(shareable, 1);
  void turn.then(() => count(shareable, -1));
  return new Observable((observer) => {
    let ended = false;
    let stop = () => {};

    function send(): void {
      if (ended) return;
      let waiting = false;
      const subscription = forward(operation).subscribe({
        next(result) {
          if (isUnopened(result)) {
            waiting = true;
            void again(result);
            return;
          }
          noteChange(shareable as string);
          observer.next(result);
        },
        error(error: unknown) {
          finish();
          observer.error(error);
        },
        complete() {
          if (waiting) return;
          finish();
          observer.complete();
        },
      });
      stop = () => subscription.unsubscribe();
    }

    /** Nothing was changed: it is sent as soon as there is another token, unless there will be none. */
    async function again(result: ApolloLink.Result): Promise<void> {
      const shortId = shareable as string;
      refused.add(shortId);
      announce();
      const isOpen = await openedAgain(shortId, operation.getContext().credential ?? null);
      refused.delete(shortId);
      announce();
      if (isOpen) {
        operation.setContext({ again: false });
        send();
        return;
      }
      observer.next(result);
      finish();
      observer.complete();
    }

    void before.then(send);
    return () => {
      ended = true;
      finish();
      stop();
    };
  });
});

/** Whether the token of an operation opens nothing. */
function isUnopened({ errors }: ApolloLink.Result): boolean {
  return errors?.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED') ?? false;
}
