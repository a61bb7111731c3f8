// How pages of a connection become one list in the cache. A Relay connection of any type will do.

import type { FieldPolicy, Reference } from '@apollo/client';

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

/**
 * Appends a page that was asked for with `after`, and takes any other as the list's new beginning.
 * Lists differ by `keyArgs`.
 */
export function forwardPages<Filter>(
  keyArgs: string[] | false,
): FieldPolicy<StoredList<Filter>, StoredList<Filter>> {
  return {
    keyArgs,
    merge(existing, incoming, { args }) {
      const filter = args?.['filter'] as Filter | null | undefined;
      if (!existing || !args?.['after']) return { ...incoming, filter };
      // What changed between two pages can be on both: the newer page knows better.
      const fresh = new Set(incoming.edges.map((edge) => edge.node?.__ref));
      const kept = existing.edges.filter((edge) => !fresh.has(edge.node?.__ref));
      return { ...incoming, filter, edges: [...kept, ...incoming.edges] };
    },
    read(existing, { canRead }) {
      if (!existing) return undefined;
      // What was deleted leaves a reference to nothing.
      const edges = existing.edges.filter((edge) => edge.node === null || canRead(edge.node));
      return edges.length === existing.edges.length ? existing : { ...existing, edges };
    },
  };
}
