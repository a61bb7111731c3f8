// Where the person is, after the `#` of the address.

import { useSyncExternalStore } from 'react';

import { Environment } from './gql/graphql';

export type Route =
  | { readonly page: 'runs'; readonly environment: Environment | null }
  | { readonly page: 'run'; readonly runId: string; readonly node: string | null }
  | { readonly page: 'compare'; readonly from: string; readonly to: string };

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/u, '').split('?');
  const [, first, second = '', third = ''] = path.split('/').map(decoded);
  if (first === 'runs' && second) return { page: 'run', runId: second, node: new URLSearchParams(query).get('node') };
  if (first === 'compare' && second && third) return { page: 'compare', from: second, to: third };
  const environment = Object.values(Environment).find((each) => each.toLowerCase() === first) ?? null;
  return { page: 'runs', environment };
}

/** A part of the address as it was meant; as it stands where it was cut off. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, () => window.location.hash));
}

export function hrefOfRun(runId: string): string {
  return `#/runs/${encodeURIComponent(runId)}`;
}

export function hrefOfNode(runId: string, node: string): string {
  return `${hrefOfRun(runId)}?node=${encodeURIComponent(node)}`;
}

export function hrefOfComparison(from: string, to: string): string {
  return `#/compare/${encodeURIComponent(from)}/${encodeURIComponent(to)}`;
}

/** Goes somewhere else. */
export function go(hash: string): void {
  window.location.hash = hash;
}
