// What others made of an application since a person saw it, and what of it is the same as they change. Loaded when that is asked.

import type { ApolloClient } from '@apollo/client';

import { graphql } from '../gql';
import type { NewestVersionQuery, PlacedFragment } from '../gql/graphql';
import type { Collision } from './change';
import { settle } from './lists';

const Newest = graphql(`
  query NewestVersion($id: ID!) {
    application(id: $id) {
      id
      version
      ...Placed
      ...Card
      history(first: 20) {
        edges {
          node {
            id
            sequence
            description
            changes {
              field
              interviewStageId
              before
              after
            }
          }
        }
      }
    }
  }
`);

type Entry = NonNullable<
  NonNullable<NonNullable<NewestVersionQuery['application']>['history']>['edges'][number]['node']
>;

/** What others changed since; nothing if that is not completely known. The cache has the newest version then. */
export async function readMeanwhile(client: ApolloClient, seen: PlacedFragment): Promise<readonly Entry[] | null> {
  try {
    const { data } = await client.query({
      query: Newest,
      variables: { id: seen.id },
      fetchPolicy: 'network-only',
    });
    const application = data?.application;
    if (!application) return null;
    settle(client.cache, seen, application);
    const entries = (application.history?.edges ?? []).flatMap(({ node }) =>
      node && node.sequence > seen.version ? [node] : [],
    );
    return entries.length === application.version - seen.version ? entries : null;
  } catch {
    return null;
  }
}

/** The fields that others set too, each to another value. */
export function colliding(
  entries: readonly Entry[],
  { sets, stage }: { readonly sets: Readonly<Record<string, string | null>>; readonly stage?: string },
): Collision[] | null {
  // The newest change of a field comes first, and is the one that counts.
  const others = new Map<string, string | null>();
  for (const { changes } of entries) {
    if (!changes) return null;
    // An order is of all stages.
    if ('*' in sets || ('order' in sets && changes.some(({ field }) => field === 'order'))) return null;
    for (const { field, interviewStageId, after } of changes) {
      if ((interviewStageId ?? undefined) === stage && !others.has(field)) others.set(field, after);
    }
  }
  return Object.entries(sets).flatMap(([field, own]) => {
    const other = others.get(field);
    return other === undefined || other === own ? [] : [{ field, own, other }];
  });
}
