// What the table and the agenda have loaded last, kept in the browser: a page that opens without a network shows it, and of
// when it is. For the person alone whom it was loaded for, until they sign out or, if they had to sign in, close the browser.

import { ApolloLink, type ObservableQuery, type OperationVariables, type TypedDocumentNode, type Unmasked } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { clear, createStore, delMany, entries, get, set } from 'idb-keyval';
import { useEffect, useState } from 'react';
import { tap } from 'rxjs';
import { APP } from 'trestle-web-kit/app';
import { lastPerson } from 'trestle-web-kit/api/person';
import { confirmedPerson, mayShow, whenForgotten } from 'trestle-web-kit/api/queue';

import { useAway } from '../ui/away';
import { nameOf } from './name';

/** What is kept of an answer. */
interface Loaded {
  readonly who: string;
  readonly at: string;
  readonly data: unknown;
}

/** The queries that are kept, by name: the first page of those that have several. */
const KEPT = new Set(['Agenda', 'Stale', 'Table']);
/** How many answers are kept, the newest. */
const MOST = 8;

const store = createStore(`${APP}-loaded`, 'answers');
if (lastPerson() === null) void clear(store).catch(() => {});
let forgotten = false;
whenForgotten(() => {
  // An answer that is still on its way is not kept either.
  forgotten = true;
  return clear(store);
});

function keyOf(name: string, variables: OperationVariables): string {
  return `${name} ${JSON.stringify(variables)}`;
}

async function keep(key: string, data: unknown): Promise<void> {
  const who = await confirmedPerson();
  if (forgotten) return;
  await set(key, { who, at: new Date().toISOString(), data } satisfies Loaded, store);
  const all = await entries<string, Loaded>(store);
  const newest = all.filter(([, each]) => each.who === who).toSorted(([, one], [, other]) => other.at.localeCompare(one.at));
  const kept = new Set(newest.slice(0, MOST).map(([name]) => name));
  await delMany(all.map(([name]) => name).filter((name) => !kept.has(name)), store);
}

/** Keeps the answers. */
export const keeping = new ApolloLink((operation, forward) => {
  const { operationName = '', variables } = operation;
  if (!KEPT.has(operationName) || variables['after']) return forward(operation);
  const key = keyOf(operationName, variables);
  return forward(operation).pipe(
    tap(({ data, errors }) => {
      // A browser that stores nothing shows nothing without a network.
      if (data && !errors) void keep(key, data).catch(() => {});
    }),
  );
});

/**
 * Shows what was loaded last while the server cannot be reached and nothing `isThere`. Answers when that was; nothing if what is
 * shown is of this page.
 */
export function useLoaded<TData, TVariables extends OperationVariables>(
  observable: Pick<ObservableQuery<TData, TVariables>, 'reobserve'>,
  query: TypedDocumentNode<TData, TVariables>,
  variables: TVariables,
  isThere: boolean,
): string | null {
  const client = useApolloClient();
  const away = useAway() !== null;
  const [shown, setShown] = useState<{ readonly key: string; readonly at: string } | null>(null);
  const key = keyOf(nameOf(query), variables);
  useEffect(() => {
    if (!away) setShown(null);
    if (!away || isThere) return undefined;
    let left = false;
    const show = (found: Loaded | undefined) => {
      if (left || !found || !mayShow(found.who)) return;
      client.writeQuery({ query, variables, data: found.data as Unmasked<TData> });
      setShown({ key, at: found.at });
      // A query that waits for the server looks at the cache again then.
      observable.reobserve({ fetchPolicy: 'cache-and-network' }).catch(() => {});
    };
    get<Loaded>(key, store).then(show, () => {});
    return () => {
      left = true;
    };
    // The key stands for the query and its variables, which are new objects each time.
  }, [away, isThere, key, client, observable]);
  return away && shown?.key === key ? shown.at : null;
}
