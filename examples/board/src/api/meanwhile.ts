// What others made of an application since a person saw it, and what of it is the same as they change. Loaded when that is asked.

import type { ApolloClient } from '@apollo/client';

import { graphql } from '../gql';
import type { NewestVersionQuery, PlacedFragment } from '../gql/graphql';
import type { Collision } from './change';
import { made, noteMade, withOwn } from './inOrder';
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

/** What a change sets. */
interface Wanted {
  readonly sets: Readonly<Record<string, string | null>>;
  readonly stage?: string;
}

/** Why a change was refused: it was made already, or others have made a newer version. */
interface Found {
  /** It was made before, and its answer got lost. */
  readonly isStored: boolean;
  /** What others changed meanwhile, in words. */
  readonly meanwhile: readonly string[];
  /** The fields that others set too; nothing if that is not known. */
  readonly collisions: readonly Collision[] | null;
}

/** Compares what a person wants with what became of the application that they saw. The cache has the newest version then. */
export async function compare(client: ApolloClient, seen: PlacedFragment, wanted: Wanted): Promise<Found> {
  const entries = await readSince(client, seen);
  const sentOn = withOwn(seen.id, seen.version);
  const isStored = entries?.some((entry) => entry.sequence === sentOn + 1 && makes(entry, wanted)) ?? false;
  if (isStored) noteMade(seen.id, sentOn, sentOn + 1);
  const own = new Set(made.get(seen.id)?.values());
  const others = entries?.filter(({ sequence }) => !own.has(sequence));
  return {
    isStored,
    meanwhile: others?.map(({ description }) => description) ?? [],
    collisions: others ? colliding(others, wanted) : null,
  };
}

/** What was changed since; nothing if that is not completely known. */
async function readSince(client: ApolloClient, seen: PlacedFragment): Promise<readonly Entry[] | null> {
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

/** Whether it makes all that a change sets. Made of the version that the change was sent on, it is that change, whose answer got lost. */
function makes({ changes }: Entry, { sets, stage }: Wanted): boolean {
  return Object.entries(sets).every(([field, own]) =>
    changes?.some((change) => change.field === field && (change.interviewStageId ?? undefined) === stage && change.after === own),
  );
}

/** The fields that others set too, each to another value. */
function colliding(entries: readonly Entry[], { sets, stage }: Wanted): Collision[] | null {
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
