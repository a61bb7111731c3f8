// The one Apollo client.

import { ApolloClient, InMemoryCache } from '@apollo/client';
import { makeLink } from 'trestle-web-kit/api/link';

/** The API on whatever server serves the page. */
export const ENDPOINT = '/graph-runs/graphql';

interface Page {
  readonly edges: readonly unknown[];
  readonly pageInfo: unknown;
}

export const client = new ApolloClient({
  link: makeLink(ENDPOINT),
  cache: new InMemoryCache({
    possibleTypes: { Node: ['Run'] },
    typePolicies: {
      Run: { keyFields: ['runId'] },
      Query: {
        fields: {
          runs: {
            keyArgs: ['filter'],
            // Further pages are appended.
            merge: (existing: Page | undefined, page: Page, { args }) =>
              args?.['after'] && existing ? { ...page, edges: [...existing.edges, ...page.edges] } : page,
          },
        },
      },
    },
  }),
  devtools: { enabled: import.meta.env.DEV },
});
