// How pages of a connection become one list in the cache, and how a list of thousands stays small: only what is around
// the rows in sight is read, and what is far from them is evicted. A Relay connection of any type will do.

import {
  type ApolloCache,
  type FieldFunctionOptions,
  type FieldPolicy,
  type InMemoryCache,
  makeVar,
  type ReactiveVar,
  type Reference,
} from '@apollo/client';

import type { ApplicationSort } from '../gql/graphql';
import { forgetReads } from './pending';

/** An edge as the cache holds it. */
export interface StoredEdge {
  readonly __typename?: string;
  readonly cursor?: string;
  readonly node: Reference | null;
  /** When the node was updated, which a list by update needs after the node itself is evicted. */
  readonly at?: string | undefined;
}

/** A list of pages as the cache holds it, with the arguments that it answers. */
export interface StoredList<Filter = unknown> {
  readonly __typename?: string;
  readonly edges: readonly StoredEdge[];
  readonly pageInfo: { readonly endCursor?: string | null; readonly hasNextPage: boolean };
  readonly totalCount?: number | null;
  /** The `filter` argument, so that a changed application can be placed. */
  readonly filter?: Filter | null;
  readonly sortBy?: ApplicationSort | null | undefined;
}

/** A list as it is read: with `null` for what is outside of its window or evicted. */
type ShownList<Filter> = Omit<StoredList<Filter>, 'edges'> & {
  readonly edges: readonly (StoredEdge | null)[];
};

/**
 * What a new first page does to the pages that are known: it replaces them, or joins them if it reaches them. The latter
 * is for a list that grows at its beginning and changes nowhere else.
 */
type FirstPage = 'replaces' | 'joins';

/** What a list shows of what is stored of it. */
type AsShown<Filter> = (
  list: StoredList<Filter>,
  read: Pick<FieldFunctionOptions, 'readField' | 'toReference'>,
) => StoredList<Filter>;

/** Appends a page that was requested with `after`. Lists differ by `keyArgs`. */
export function forwardPages<Filter>(
  keyArgs: string[] | false,
  first: FirstPage = 'replaces',
  asShown: AsShown<Filter> = (list) => list,
): FieldPolicy<StoredList<Filter>, StoredList<Filter>, ShownList<Filter>> {
  return {
    keyArgs,
    merge(existing, page, { args, readField }) {
      const edges = page.edges.map((edge) => ({
        ...edge,
        at: (edge.node && readField<string>('updatedAt', edge.node)) ?? undefined,
      }));
      const incoming = { ...page, edges };
      const list = lists.get(nameOf(args));
      for (const { node } of edges) if (node) list?.loaded.add(node.__ref);
      const filter = args?.['filter'] as Filter | null | undefined;
      const sortBy = args?.['sortBy'] as ApplicationSort | null | undefined;
      if (!existing) return { ...incoming, filter, sortBy };
      if (!args?.['after']) {
        return (first === 'joins' && joined(existing, incoming)) || { ...incoming, filter, sortBy };
      }
      // What changed between two pages can be on both: the newer page is right.
      const fresh = new Set(edges.map((edge) => edge.node?.__ref));
      const kept = existing.edges.filter((edge) => !fresh.has(edge.node?.__ref));
      return { ...existing, ...incoming, filter, sortBy, edges: [...kept, ...edges] };
    },
    read(existing, { args, canRead, readField, toReference }) {
      if (!existing) return existing;
      const list = lists.get(nameOf(args));
      const shown = asShown(existing, { readField, toReference });
      if (!list) return shown;
      list.edges = shown.edges;
      const { from, to } = list.window();
      return {
        ...shown,
        edges: shown.edges.map((edge, at) => (from <= at && at < to && canRead(edge.node) ? edge : null)),
      };
    },
  };
}

/** A first page with the known pages after its end, if its end is known. */
function joined<List extends StoredList>(existing: List, incoming: List): List | null {
  const oldest = incoming.edges.at(-1)?.node?.__ref;
  const at = existing.edges.findIndex(({ node }) => node !== null && node.__ref === oldest);
  if (at < 0) return null;
  return { ...existing, edges: [...incoming.edges, ...existing.edges.slice(at + 1)] };
}

/** Which edges of a list are shown: from the first up to, and without, the second. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** A list of which only a window is read. */
export interface Windowed {
  readonly window: ReactiveVar<Window>;
  /** All of its edges, also those outside of the window. */
  edges: readonly StoredEdge[];
  /** The nodes that the cache holds because of this list. */
  readonly loaded: Set<string>;
}

const lists = new Map<string, Windowed>();

/**
 * The list with these arguments. Once it was asked for here, a query of it has `null` in place of the edges outside of its
 * window, although the schema has none there: each change of a list reads it again, and so costs no more than what is shown.
 */
export function windowed(args: { readonly filter: object; readonly sortBy?: ApplicationSort }): Windowed {
  const name = nameOf(args);
  const known = lists.get(name) ?? { window: makeVar({ from: 0, to: STEP * 2 }), edges: [], loaded: new Set() };
  lists.set(name, known);
  return known;
}

/** Edges by which a window moves: enough for some screens on either side. */
const STEP = 30;

/** Nodes of one list that the cache holds before those far from its window are evicted. */
const HELD = 360;

/** The window around the rows that are in sight. */
export function around(first: number, last: number): Window {
  const from = Math.max(0, Math.floor(first / STEP) - 1) * STEP;
  return { from, to: (Math.floor(last / STEP) + 2) * STEP };
}

/** Notes that the cache holds a node because of the list with these arguments. */
export function held(args: Pick<StoredList, 'filter' | 'sortBy'>, reference: string): void {
  lists.get(nameOf(args))?.loaded.add(reference);
}

/** Forgets the nodes of a long list that are far from its window. Their places in the list remain. */
export function evictFar(cache: ApolloCache, list: Windowed): void {
  if (list.loaded.size <= HELD) return;
  const { from, to } = list.window();
  const near = list.edges.slice(Math.max(0, from - HELD / 4), to + HELD / 4);
  const kept = new Set(near.map(({ node }) => node?.__ref));
  cache.batch({
    update: () => {
      for (const id of list.loaded) {
        if (kept.has(id)) continue;
        list.loaded.delete(id);
        cache.evict({ id, broadcast: false });
      }
      // What was fetched by id is in the lists.
      cache.evict({ id: 'ROOT_QUERY', fieldName: 'nodes', broadcast: false });
    },
  });
  // What was read of an evicted node is otherwise remembered for ever: by the cache, and by each variable that it was read by.
  (cache as InMemoryCache).gc({ resetResultCache: true });
  forgetStorage(cache);
  for (const { window } of lists.values()) window({ ...window() });
  forgetReads();
}

/**
 * Forgets the places in which field policies can store something: the cache makes one for each field of each node that has a policy,
 * and holds it for ever. The policies here store nothing.
 */
function forgetStorage(cache: ApolloCache): void {
  const { data } = cache as unknown as { data: { storageTrie: { constructor: new (isWeak: boolean) => never } } };
  data.storageTrie = new data.storageTrie.constructor(true);
}

/** The ids of the nodes in the window that were evicted, and have to be fetched again. */
export function evicted(list: Windowed, isThere: (at: number) => boolean): string[] {
  const { from, to } = list.window();
  return list.edges.slice(from, to).flatMap(({ node }, at) => {
    if (!node || isThere(from + at)) return [];
    list.loaded.add(node.__ref);
    return idAt(list.edges, from + at) ?? [];
  });
}

/** The id of the node of an edge, also of one outside of the window. */
export function idAt(edges: readonly StoredEdge[], at: number): string | undefined {
  return idOf(edges[at]?.node ?? null);
}

/** The id of what a reference leads to. */
export function idOf(node: Reference | null): string | undefined {
  return node?.__ref.slice(node.__ref.indexOf(':') + 1);
}

function nameOf(args: { readonly filter?: unknown; readonly sortBy?: unknown } | null): string {
  return JSON.stringify([args?.filter ?? {}, args?.sortBy ?? null]);
}
