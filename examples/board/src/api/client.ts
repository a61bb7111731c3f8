// The one Apollo client: how its cache knows things again.

import { ApolloClient, InMemoryCache } from '@apollo/client';
import { held } from 'trestle-web-kit/api/held';
import { makeLink } from 'trestle-web-kit/api/link';

import type { ApplicationFilter } from '../gql/graphql';
import { noticing } from './follow';
import { inOrder } from './inOrder';
import { asShown, totalShown } from './lists';
import { keeping } from './loaded';
import { neverOlder } from './neverOlder';
import { forwardPages } from './paging';
import { SHOWN_FIELDS } from './pending';

/** The API beside the page, on whatever server serves it. */
export const ENDPOINT = '/graphql';

/** A client with an empty cache. */
export function makeClient(): ApolloClient {
  return new ApolloClient({
    link: makeLink(ENDPOINT, [noticing, neverOlder, inOrder, held, keeping]),
    cache: new InMemoryCache({
      possibleTypes: { Node: ['Application', 'HistoryEntry', 'InterviewStage'] },
      typePolicies: {
        Query: {
          fields: {
            applications: forwardPages<ApplicationFilter>(['filter', 'sortBy'], 'replaces', asShown),
            stale: forwardPages(['days', 'on']),
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
        Application: {
          fields: { ...SHOWN_FIELDS, history: forwardPages(false, 'joins'), contacts: { merge: false }, files: { merge: false }, tags: { merge: false } },
        },
        StatusCount: {
          keyFields: ['status'],
          fields: {
            active: { read: (total: number | undefined, options) => (total === undefined ? total : totalShown(total, options, false)) },
            archived: { read: (total: number | undefined, options) => (total === undefined ? total : totalShown(total, options, true)) },
          },
        },
      },
    }),
    dataMasking: true,
    devtools: { enabled: import.meta.env.DEV },
  });
}
