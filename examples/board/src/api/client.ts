// The one Apollo client: what is sent how, and how the cache knows things again.

import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  HttpLink,
  InMemoryCache,
} from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import type { DocumentNode } from 'graphql';

import type { ApplicationFilter } from '../gql/graphql';
import { credential, refuse } from './credentials';
import { inOrder } from './inOrder';
import { retry } from './network';
import { setReadOnly } from './readOnly';
import { forwardPages } from './paging';
import { readable } from './readable';

/** The API beside the page, on whatever server serves it. */
export const ENDPOINT = '/graphql';

declare module '@apollo/client' {
  interface DefaultContext {
    /** What the operation was signed with. */
    credential?: string | null;
  }
}

const signed = new SetContextLink(({ headers }) => {
  const key = credential();
  return {
    credential: key,
    ...(key && { headers: { ...headers, authorization: `Bearer ${key}` } }),
  };
});

const refused = new ErrorLink(({ error, operation }) => {
  if (!CombinedGraphQLErrors.is(error)) return;
  if (error.errors.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED')) {
    void refuse(operation.getContext().credential ?? null);
  }
  const isRefused = error.errors.some(({ extensions }) => extensions?.['code'] === 'FORBIDDEN');
  // From now on the page offers nothing that such a credential may not do.
  if (isRefused && operation.operationType === 'mutation') setReadOnly(true);
});

/**
 * Sends the hash that the build wrote down. A server that was not given the documents says so once, and
 * gets them whole from then on: the build hashes them in another spelling than is sent, so that such a
 * server could not learn them by these hashes.
 */
const persisted = new PersistedQueryLink({
  generateHash: hashOf,
  disable: ({ meta }) => meta.persistedQueryNotFound || meta.persistedQueryNotSupported,
});

/** The name under which the build wrote a document down. */
export function hashOf(document: DocumentNode): string {
  const meta = '__meta__' in document ? document.__meta__ : undefined;
  if (typeof meta === 'object' && meta !== null && 'hash' in meta && typeof meta.hash === 'string') {
    return meta.hash;
  }
  throw new Error('this document was not written down by the build');
}

/** A client with an empty cache. */
export function makeClient(): ApolloClient {
  return new ApolloClient({
    link: ApolloLink.from([
      inOrder,
      readable,
      refused,
      retry,
      signed,
      persisted,
      new HttpLink({ uri: ENDPOINT }),
    ]),
    cache: new InMemoryCache({
      possibleTypes: { Node: ['Application', 'HistoryEntry', 'InterviewStage'] },
      typePolicies: {
        Query: {
          fields: {
            applications: forwardPages<ApplicationFilter>(['filter', 'orderBy']),
            application: {
              // What a list has brought is shown before the rest arrives.
              read: (existing, { args, toReference }) =>
                existing ?? toReference({ __typename: 'Application', id: String(args?.['id']) }),
            },
          },
        },
        // There is one of each. With a place of its own in the cache, components read their parts of it.
        ApplicationStats: { keyFields: [] },
        ApplicationInsight: {
          keyFields: [],
          fields: { weeks: { merge: false }, stays: { merge: false } },
        },
        Application: { fields: { history: forwardPages(false, 'joins') } },
        StatusCount: { keyFields: ['status'] },
      },
    }),
    dataMasking: true,
    devtools: { enabled: import.meta.env.DEV },
  });
}
