// Reads queries again that a change may have overtaken: the answer that they show, or one that is still on its way, may be older.

import type { ApolloClient, ObservableQuery } from '@apollo/client';

/** How long changes have to pause before queries are read again, in milliseconds. */
const PAUSE_MS = 300;

const overtaken = new Set<ObservableQuery>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whether a query waits for an answer. */
export function isOnItsWay(query: ObservableQuery): boolean {
  return query.getCurrentResult().loading;
}

/** Reads those queries again that are shown and `isOvertaken`, when the changes pause. */
export function readAgain(client: ApolloClient, isOvertaken: (query: ObservableQuery) => boolean): void {
  for (const query of client.getObservableQueries('active')) if (isOvertaken(query)) overtaken.add(query);
  clearTimeout(timer);
  timer = setTimeout(() => {
    const active = client.getObservableQueries('active');
    for (const query of overtaken) {
      // Asked again now, the same answer would be taken.
      if (active.has(query) && isOnItsWay(query)) continue;
      overtaken.delete(query);
      if (active.has(query)) query.refetch().catch(() => {});
    }
    if (overtaken.size > 0) readAgain(client, () => false);
  }, PAUSE_MS);
}
