// Sends the changes of one shareable one after the other, as they were made: an item that is added without a network is
// ticked after it has its id. And adds nothing twice: the API makes the ids of items, so an answer that was lost is looked for
// before the item is sent again.

import { ApolloLink, Observable } from '@apollo/client';
import { catchError, from, mergeMap, of } from 'rxjs';
import { untilReachable } from 'trestle-web-kit/api/network';

/** What is added, and how to find it if the answer was lost. */
export interface Adding {
  /** The id that it has here until the server has given it one. */
  readonly temporary: string;
  /** Whether it may have arrived before. */
  readonly doubtful: boolean;
  /** Looks for what arrived; answers the result of the mutation. */
  readonly find: () => Promise<ApolloLink.Result | null>;
}

declare module '@apollo/client' {
  interface DefaultContext {
    /** Whether the operation waits for those before it of the same shareable. */
    waits?: boolean;
    adding?: Adding;
  }
}

const newest = new Map<string, Promise<void>>();
/** The ids that the server has given, by those that were used here before. */
const given = new Map<string, string>();

export const inTurn = new ApolloLink((operation, forward) => {
  const { shareable, waits, adding } = operation.getContext();
  if (!shareable || !waits) return forward(operation);
  const before = newest.get(shareable) ?? Promise.resolve();
  let finish = () => {};
  const turn = new Promise<void>((resolve) => {
    finish = resolve;
  });
  newest.set(shareable, turn);
  return new Observable((observer) => {
    let ended = false;
    const sent = before.then(() => {
      if (ended) return undefined;
      operation.variables = withGivenIds(operation.variables);
      return forward(operation).subscribe({
        next(result) {
          const id = adding && idIn(result.data);
          if (id) given.set(adding.temporary, id);
          observer.next(result);
        },
        error(error: unknown) {
          finish();
          observer.error(error);
        },
        complete() {
          finish();
          observer.complete();
        },
      });
    });
    return () => {
      ended = true;
      finish();
      void sent.then((subscription) => subscription?.unsubscribe());
    };
  });
});

function withGivenIds(variables: Record<string, unknown>): Record<string, unknown> {
  const { input } = variables;
  if (typeof input !== 'object' || input === null) return variables;
  const now = (value: unknown) => (typeof value === 'string' ? (given.get(value) ?? value) : value);
  const entries = Object.entries(input).map(([name, value]) => [name, now(value)]);
  return { ...variables, input: Object.fromEntries(entries) };
}

function idIn(data: unknown): string | null {
  const payloads = Object.values((data ?? {}) as Record<string, { item?: { id?: string } | null } | null>);
  return payloads.map((payload) => payload?.item?.id).find((id) => id !== undefined) ?? null;
}

export const withoutDoubles = new ApolloLink((operation, forward) => {
  const { adding } = operation.getContext();
  if (!adding) return forward(operation);
  operation.setContext({ once: true });
  const look = () => from(adding.find()).pipe(mergeMap((found) => (found ? of(found) : send())));
  const send = (): Observable<ApolloLink.Result> =>
    forward(operation).pipe(
      catchError((error: unknown) => {
        // `fetch` rejects with a TypeError if no answer arrived.
        if (!(error instanceof TypeError)) throw error;
        return from(untilReachable()).pipe(mergeMap(look));
      }),
    );
  return adding.doubtful ? look() : send();
});
