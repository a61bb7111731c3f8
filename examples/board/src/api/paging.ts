// How pages of a connection become one list in the cache. A Relay connection of any type will do.

import { type FieldPolicy, makeVar, type ReactiveVar, type Reference } from '@apollo/client';

/** An edge as the cache holds it. */
export interface StoredEdge {
  readonly __typename?: string;
  readonly cursor?: string;
  readonly node: Reference | null;
}

/** A list of pages as the cache holds it, with the arguments that it answers. */
export interface StoredList<Filter = unknown> {
  readonly __typename?: string;
  readonly edges: readonly StoredEdge[];
  readonly pageInfo: { readonly endCursor?: string | null; readonly hasNextPage: boolean };
  /** The `filter` argument, so that whoever changes an application can see where it belongs. */
  readonly filter?: Filter | null;
}

/** A list as it is read: with `null` for what lies outside of its window. */
type ShownList<Filter> = Omit<StoredList<Filter>, 'edges'> & {
  readonly edges: readonly (StoredEdge | null)[];
};

/**
 * What a new first page does to what is known: it takes its place, or joins it where it reaches it. The
 * latter is for a list that grows at its beginning and changes nowhere else.
 */
type FirstPage = 'replaces' | 'joins';

/** Appends a page that was asked for with `after`. Lists differ by `keyArgs`. */
export function forwardPages<Filter>(
  keyArgs: string[] | false,
  first: FirstPage = 'replaces',
): FieldPolicy<StoredList<Filter>, StoredList<Filter>, ShownList<Filter>> {
  return {
    keyArgs,
    merge(existing, incoming, { args }) {
      const filter = args?.['filter'] as Filter | null | undefined;
      if (!existing) return { ...incoming, filter };
      if (!args?.['after']) {
        return (first === 'joins' && joined(existing, incoming)) || { ...incoming, filter };
      }
      // What changed between two pages can be on both: the newer page knows better.
      const fresh = new Set(incoming.edges.map((edge) => edge.node?.__ref));
      const kept = existing.edges.filter((edge) => !fresh.has(edge.node?.__ref));
      return { ...incoming, filter, edges: [...kept, ...incoming.edges] };
    },
    read(existing, { args }) {
      const shown = windows.get(nameOf(args?.['filter']))?.();
      if (!existing || !shown) return existing;
      return { ...existing, edges: existing.edges.map((edge, at) => (holds(shown, at) ? edge : null)) };
    },
  };
}

/** A first page with what is known behind its end, if that is known. */
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

const windows = new Map<string, ReactiveVar<Window>>();

/**
 * The window of the list with this filter. Once there is one, whoever reads the list finds `null` in place
 * of the edges outside of it, whatever the schema says of them, so that a list of thousands costs no more
 * than what is shown of it: every change of a list reads it again.
 */
export function windowOf(filter: object): ReactiveVar<Window> {
  const name = nameOf(filter);
  const known = windows.get(name) ?? makeVar({ from: 0, to: STEP * 2 });
  windows.set(name, known);
  return known;
}

/** Edges by which a window moves: enough for some screens on either side. */
const STEP = 30;

/** The window around the rows that are in sight. */
export function around(first: number, last: number): Window {
  const from = Math.max(0, Math.floor(first / STEP) - 1) * STEP;
  return { from, to: (Math.floor(last / STEP) + 2) * STEP };
}

function holds({ from, to }: Window, at: number): boolean {
  return from <= at && at < to;
}

function nameOf(filter: unknown): string {
  return JSON.stringify(filter ?? {});
}
