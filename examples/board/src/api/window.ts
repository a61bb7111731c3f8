// The part of a long list that a view reads: it follows the rows in sight.

import { type ApolloClient, execute, type TypedDocumentNode } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useEffect } from 'react';
import { firstValueFrom } from 'rxjs';

import { readPlaced } from './lists';
import { around, evictFar, evicted, type Windowed } from './paging';

/** Most ids that the API takes at once. */
const AT_ONCE = 100;

/** Fetches nodes that were evicted: their fragments in the cache are then complete again. */
export type Again = (client: ApolloClient, ids: string[]) => Promise<unknown>;

/** What a query of nodes by their ids answers, before its fragments are masked. */
interface Nodes {
  readonly nodes: readonly ({ readonly id: string; readonly version?: number } | null)[];
}

/** How often nodes are read again that were changed meanwhile. */
const TRIES = 5;

/**
 * Fetches nodes with a query, and keeps those that are not older than what is known of them: a change may overtake the
 * answer on its way.
 */
export function againBy(document: TypedDocumentNode<unknown, { ids: string[] }>): Again {
  return async (client, all) => {
    let ids = all;
    for (let tries = 0; ids.length > 0 && tries < TRIES; tries += 1) {
      const query = client.cache.transformDocument(document);
      // Past the cache, which would take whatever comes.
      const { data } = await firstValueFrom(execute(client.link, { query, variables: { ids } }, { client }));
      if (!isNodes(data)) return;
      const known = (id: string) => readPlaced(client.cache, id)?.version ?? 0;
      const nodes = data.nodes.filter((node) => !node?.version || node.version >= known(node.id));
      const kept = nodes.flatMap((node) => (node ? [node.id] : []));
      client.cache.writeQuery({ query: document, variables: { ids: kept }, data: { nodes: nodes.filter(Boolean) } });
      const read = data.nodes.flatMap((node) => (node ? [node.id] : []));
      ids = read.filter((id) => !kept.includes(id));
    }
  };
}

function isNodes(data: unknown): data is Nodes {
  return typeof data === 'object' && data !== null && 'nodes' in data && Array.isArray(data.nodes);
}

/**
 * Moves the window of a list to the rows in sight, evicts what is far from it, and fetches again what was evicted and
 * comes near.
 */
export function useWindow(
  list: Windowed,
  edges: readonly (object | null)[],
  sight: { readonly first: number; readonly last: number },
  again: Again,
): void {
  const client = useApolloClient();
  const { from, to } = around(sight.first, sight.last);
  useEffect(() => {
    const now = list.window();
    if (now.from !== from || now.to !== to) list.window({ from, to });
    evictFar(client.cache, list);
  }, [client, list, from, to, edges.length]);
  const missing = evicted(list, (at) => Boolean(edges[at])).join(' ');
  useEffect(() => {
    const ids = missing.split(' ').filter(Boolean);
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      again(client, ids.slice(at, at + AT_ONCE)).catch(() => {});
    }
  }, [client, missing, again]);
}
