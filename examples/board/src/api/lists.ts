// Keeps the board's lists and totals in step with what is known of an application, without asking
// the server again: who moved a card, here or in another browser, makes no difference.

import type { ApolloCache, Reference } from '@apollo/client';

import { graphql } from '../gql';
import type { ApplicationFilter, ApplicationStatus, PlacedFragment } from '../gql/graphql';
import type { StoredEdge, StoredList } from './paging';

/** What decides in which lists an application is, and where. */
export const Placed = graphql(`
  fragment Placed on Application {
    id
    version
    status
    isArchived
    updatedAt
    companyName
    positionTitle
    companyCategory
    jobSource
    skillsMatch
  }
`);

/** What the cache holds of an application, with changes that are still on their way. */
export function readPlaced(cache: ApolloCache, id: string): PlacedFragment | null {
  const from = cache.identify({ __typename: 'Application', id });
  return cache.readFragment({ fragment: Placed, id: from, optimistic: true });
}

/** Newest version of each application that the totals have counted. */
const counted = new Map<string, number>();

/**
 * To be called after `after` was written into the cache: puts it where it belongs in all lists.
 * `before` is what it was; empty where nothing was known of it.
 */
export function settle(
  cache: ApolloCache,
  before: PlacedFragment | null,
  after: PlacedFragment | null | undefined,
): void {
  if (!after) return;
  place(cache, after);
  // The version of an optimistic answer is still the old one, and its layer is thrown away.
  const optimistic = before?.version === after.version;
  if (!optimistic) {
    if ((counted.get(after.id) ?? 0) >= after.version) return;
    counted.set(after.id, after.version);
  }
  if (before) count(cache, before, -1);
  count(cache, after, 1);
}

/** Takes a deleted application out of everything. */
export function forget(cache: ApolloCache, before: PlacedFragment): void {
  count(cache, before, -1);
  const id = cache.identify({ __typename: 'Application', id: before.id });
  cache.modify<{ applications: StoredList<ApplicationFilter> }>({
    fields: {
      applications(list) {
        const stored = list as StoredList<ApplicationFilter>;
        const edges = stored.edges.filter((edge) => edge.node?.__ref !== id);
        return edges.length === stored.edges.length ? stored : { ...stored, edges };
      },
    },
  });
  cache.evict({ id });
  cache.gc();
}

function count(cache: ApolloCache, application: PlacedFragment, by: 1 | -1): void {
  const id = cache.identify({ __typename: 'StatusCount', status: application.status });
  const field = application.isArchived ? 'archived' : 'active';
  cache.modify<{ active: number; archived: number }>({
    id,
    fields: { [field]: (value: number) => Math.max(0, value + by) },
  });
}

function place(cache: ApolloCache, application: PlacedFragment): void {
  const id = cache.identify({ __typename: 'Application', id: application.id });
  if (!id) return;
  const own: Reference = { __ref: id };
  cache.modify<{ applications: StoredList<ApplicationFilter> }>({
    fields: {
      applications(list, { readField }) {
        const stored = list as StoredList<ApplicationFilter>;
        const others = stored.edges.filter((edge) => edge.node?.__ref !== id);
        if (!fits(stored.filter ?? {}, application)) {
          return others.length === stored.edges.length ? stored : { ...stored, edges: others };
        }
        const behind = others.findIndex(({ node }) => {
          const updatedAt = node && readField<string>('updatedAt', node);
          return typeof updatedAt === 'string' && updatedAt <= application.updatedAt;
        });
        // Behind everything that is loaded: a page to come brings it.
        if (behind < 0 && stored.pageInfo.hasNextPage) return { ...stored, edges: others };
        const edge: StoredEdge = { __typename: 'ApplicationEdge', node: own };
        const at = behind < 0 ? others.length : behind;
        return { ...stored, edges: [...others.slice(0, at), edge, ...others.slice(at)] };
      },
    },
  });
}

/** Whether a list with `filter` holds the application, as the schema describes the filter. */
function fits(filter: ApplicationFilter, application: PlacedFragment): boolean {
  const archived = filter.archived ?? 'EXCLUDE';
  if (archived !== 'INCLUDE' && (archived === 'ONLY') !== application.isArchived) return false;
  const text = `${application.companyName} ${application.positionTitle}`.toLowerCase();
  const words = (filter.text ?? '').toLowerCase().split(/\s+/u).filter(Boolean);
  return (
    isAmong(filter.statuses, application.status) &&
    isAmong(filter.companyCategories, application.companyCategory) &&
    isAmong(filter.jobSources, application.jobSource) &&
    (application.skillsMatch ?? 0) >= (filter.minSkillsMatch ?? 0) &&
    words.every((word) => text.includes(word))
  );
}

function isAmong<T>(wanted: readonly T[] | null | undefined, value: T | null | undefined): boolean {
  if (!wanted || wanted.length === 0) return true;
  return value !== null && value !== undefined && wanted.includes(value);
}

/** The statuses in the order in which an application usually takes them. */
export const STATUSES: readonly ApplicationStatus[] = [
  'UNSUBMITTED',
  'APPLIED',
  'INTERVIEWING',
  'GIVEN_OFFER',
  'ACCEPTED_OFFER',
  'DECLINED_OFFER',
  'NO_OFFER',
  'REJECTED',
];
