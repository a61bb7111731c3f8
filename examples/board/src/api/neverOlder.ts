// Answers can be older than what is known here: they were read before a change whose answer or event has arrived first. They are
// brought up to what is known before they reach the cache, so that what is stored of an application never goes back.

import { type ApolloCache, ApolloLink } from '@apollo/client';
import { map } from 'rxjs';

import { readOnBoard } from '../board/changes';
import type { ApplicationFilter } from '../gql/graphql';
import { changedSince, fits, isDeleted, now, readStored, storedFields } from './lists';

type Fields = Readonly<Record<string, unknown>>;

/** A page of a list as it is answered. */
interface Page extends Fields {
  readonly edges: readonly { readonly node: (Fields & { readonly id: string }) | null }[];
  readonly pageInfo: { readonly hasNextPage: boolean };
  readonly totalCount?: number | null;
}

/** Brings answers up to what is known. */
export const neverOlder = new ApolloLink((operation, forward) => {
  const sent = now();
  const { cache } = operation.client;
  return forward(operation).pipe(
    map((result) => {
      if (!result.data) return result;
      const changed = changedSince(sent);
      // With those of which the answer was older.
      const stale = new Set(changed);
      const data = newer(cache, result.data, stale) as Fields;
      const { applications: page } = data;
      const { filter, after } = operation.variables as { filter?: ApplicationFilter; after?: string };
      if (!filter || !isPage(page)) return { ...result, data };
      return { ...result, data: { ...data, applications: listed(cache, page, { filter, stale, changed: after ? [] : changed }) } };
    }),
  );
});

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPage(value: unknown): value is Page {
  return isFields(value) && Array.isArray(value['edges']);
}

/** An answer in which no application is older than what is stored of it. Those of which it was are added to `changed`. */
function newer(cache: ApolloCache, value: unknown, changed: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => newer(cache, each, changed));
  if (!isFields(value)) return value;
  const own = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, newer(cache, each, changed)]));
  const { __typename: type, id, version } = value;
  if (type !== 'Application' || typeof id !== 'string') return own;
  // Not by a read, which the cache would remember.
  const known = Number(storedFields(cache, id, ['version'])['version'] ?? 0);
  const isOlder = typeof version === 'number' ? version < known : changed.has(id);
  if (isOlder) changed.add(id);
  const stored: Fields | null = isOlder ? (readBoard(cache, id) ?? readStored(cache, id)) : null;
  if (!stored) return own;
  return Object.fromEntries(Object.entries(own).map(([name, each]) => [name, name in stored ? stored[name] : each]));
}

/** Everything that a card shows of what is stored. */
function readBoard(cache: ApolloCache, id: string): Fields | null {
  const shown = readOnBoard(cache, id);
  return shown && { ...shown, ...readStored(cache, id), ...storedFields(cache, id, ['statusSince']) };
}

/** A page of a list without what has left it since it was read, and with what `changed` since and belongs on it. */
function listed(
  cache: ApolloCache,
  page: Page,
  { filter, stale, changed }: { readonly filter: ApplicationFilter; readonly stale: ReadonlySet<string>; readonly changed: readonly string[] },
): Page {
  const isIn = (id: string) => {
    const stored = readStored(cache, id);
    // Its texts were searched by the server, which knows all of them.
    return !isDeleted(id) && (!stored || fits(filter, stored, true));
  };
  const edges = page.edges.filter(({ node }) => !node || (!isDeleted(node.id) && (!stale.has(node.id) || isIn(node.id))));
  const added = changed.flatMap((id) => {
    const node = readBoard(cache, id);
    const isThere = edges.some((edge) => edge.node?.id === id);
    return !node || isThere || filter.text || !isIn(id) ? [] : [{ __typename: 'ApplicationEdge', node: { ...node, id } }];
  });
  if (added.length === 0 && edges.length === page.edges.length) return page;
  const by = added.length + edges.length - page.edges.length;
  return {
    ...page,
    // What has changed last is first.
    edges: [...added.toReversed(), ...edges],
    ...(typeof page.totalCount === 'number' && { totalCount: page.totalCount + by }),
  };
}
