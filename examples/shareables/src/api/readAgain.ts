// Reads a shareable again if a change has overtaken the answer: the server may have read it before the change, and what the
// change has shown would be taken back.

import { ApolloLink, Observable } from '@apollo/client';

/** How many changes have been heard of, by shareable. */
const changes = new Map<string, number>();

/** Notes that a change was answered, or that somebody else's has arrived. */
export function noteChange(shortId: string): void {
  changes.set(shortId, (changes.get(shortId) ?? 0) + 1);
}

export const readAgain = new ApolloLink((operation, forward) => {
  const { shareable } = operation.getContext();
  if (!shareable || operation.operationType !== 'query') return forward(operation);
  return new Observable((observer) => {
    let stop = () => {};
    function read(): void {
      const before = changes.get(shareable as string);
      let overtaken = false;
      const subscription = forward(operation).subscribe({
        next(result) {
          overtaken = changes.get(shareable as string) !== before;
          if (!overtaken) observer.next(result);
        },
        error: (error: unknown) => observer.error(error),
        complete() {
          if (!overtaken) {
            observer.complete();
            return;
          }
          operation.setContext({ again: false });
          read();
        },
      });
      stop = () => subscription.unsubscribe();
    }
    read();
    return () => stop();
  });
});
