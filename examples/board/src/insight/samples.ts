// What the API does not count is counted here, over as many applications as are cheap to read.

import { useApolloClient, useQuery } from '@apollo/client/react';
import { useEffect, useState } from 'react';

import { STATUSES } from '../api/lists';
import { graphql } from '../gql';
import { ApplicationStatus, type SentDatesQuery, type StatusStaysQuery } from '../gql/graphql';
import { day } from '../ui/words';

/** How many weeks the picture has, this one included. */
export const WEEKS = 16;
/** Pages of 100 that are read for it: one Query of the server each. */
const PAGES = 10;
const DAY_MS = 86_400_000;

const SentDates = graphql(`
  query SentDates($after: String) {
    applications(first: 100, after: $after) {
      edges {
        node {
          id
          dateApplied
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const StatusStays = graphql(`
  query StatusStays {
    applications(
      first: 40
      filter: {
        statuses: [INTERVIEWING, GIVEN_OFFER, ACCEPTED_OFFER, DECLINED_OFFER, NO_OFFER, REJECTED]
      }
    ) {
      edges {
        node {
          id
          history(first: 15) {
            edges {
              node {
                id
                createdAt
                changes {
                  field
                  before
                  after
                }
              }
            }
          }
        }
      }
    }
  }
`);

/** A week with how many applications were sent in it. */
export interface Week {
  /** Its Monday, as `2026-11-16`. */
  readonly start: string;
  readonly label: string;
  readonly count: number;
}

/** The applications that were sent in each of the last weeks. */
export function useWeeks() {
  const client = useApolloClient();
  const [dates, setDates] = useState<readonly string[]>([]);
  const [state, setState] = useState({ counted: 0, complete: false, error: false });
  useEffect(() => {
    let current = true;
    async function read(after: string | null): Promise<SentDatesQuery['applications'] | undefined> {
      const { data } = await client.query({
        query: SentDates,
        variables: { after },
        fetchPolicy: 'no-cache',
      });
      return data?.applications;
    }
    void (async () => {
      const found: string[] = [];
      let after: string | null = null;
      let counted = 0;
      for (let page = 0; page < PAGES && current; page += 1) {
        const list = await read(after);
        for (const { node } of list?.edges ?? []) if (node?.dateApplied) found.push(node.dateApplied);
        counted += list?.edges.length ?? 0;
        after = list?.pageInfo.endCursor ?? null;
        if (!current) return;
        setDates([...found]);
        setState({ counted, complete: !list?.pageInfo.hasNextPage, error: false });
        if (!list?.pageInfo.hasNextPage) return;
      }
    })().catch(() => current && setState((last) => ({ ...last, error: true })));
    return () => {
      current = false;
    };
  }, [client]);

  const counts = new Map<string, number>();
  for (const date of dates) {
    const start = monday(new Date(`${date}T00:00:00Z`));
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  const now = Date.now();
  const weeks = Array.from({ length: WEEKS }, (_, index): Week => {
    const start = monday(new Date(now - (WEEKS - 1 - index) * 7 * DAY_MS));
    return { start, label: day(start), count: counts.get(start) ?? 0 };
  });
  return { weeks, ...state };
}

function monday(date: Date): string {
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return new Date(date.getTime() - sinceMonday * DAY_MS).toISOString().slice(0, 10);
}

/** How long applications stayed in a status, in hours. */
export interface Time {
  readonly status: ApplicationStatus;
  readonly median: number;
  readonly count: number;
}

/** How long the applications that changed last stayed in each status before they left it. */
export function useTimes() {
  const { data, loading, error } = useQuery(StatusStays, { fetchPolicy: 'no-cache' });
  const edges = data?.applications?.edges ?? [];
  const stays = new Map<ApplicationStatus, number[]>();
  for (const { node } of edges) {
    for (const { status, hours } of staysOf(node)) {
      stays.set(status, [...(stays.get(status) ?? []), hours]);
    }
  }
  const times = STATUSES.flatMap((status): Time[] => {
    const hours = (stays.get(status) ?? []).toSorted((one, other) => one - other);
    const median = hours[Math.floor(hours.length / 2)];
    return median === undefined ? [] : [{ status, median, count: hours.length }];
  });
  return { times, sampled: edges.length, loading, error };
}

type SampledNode = NonNullable<StatusStaysQuery['applications']>['edges'][number]['node'];

/** Each stay that the history shows the beginning and the end of. */
function staysOf(application: SampledNode): { status: ApplicationStatus; hours: number }[] {
  const moves = (application?.history?.edges ?? [])
    .flatMap(({ node }) => node ?? [])
    .flatMap(({ createdAt, changes }) => {
      const status = changes?.find(({ field }) => field === 'status')?.after;
      const known = Object.values(ApplicationStatus).find((value) => plain(value) === plain(status ?? ''));
      return known ? [{ status: known, at: new Date(createdAt).getTime() }] : [];
    })
    .toSorted((one, other) => one.at - other.at);
  return moves.slice(0, -1).map(({ status, at }, index) => ({
    status,
    hours: ((moves[index + 1]?.at ?? at) - at) / 3_600_000,
  }));
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/gu, '');
}
