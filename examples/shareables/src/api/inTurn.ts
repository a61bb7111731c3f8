// Sends the changes of one shareable one after the other, as they were made: an item that is added without a network is
// ticked after it has its id.

import { ApolloLink, Observable } from '@apollo/client';

declare module '@apollo/client' {
  interface DefaultContext {
    /** Whether the operation waits for those before it of the same shareable. */
    waits?: boolean;
    /** The id that an item has here until the server has given it one. */
    temporary?: string;
  }
}

const newest = new Map<string, Promise<void>>();
/** The ids that the server has given, by those that were used here before. */
const given = new Map<string, string>();

export const inTurn = new ApolloLink((operation, forward) => {
  const { shareable, waits, temporary } = operation.getContext();
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
          const id = temporary && idIn(result.data);
          if (temporary && id) given.set(temporary, id);
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
