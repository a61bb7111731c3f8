// What the agenda has: what of it is still to be done, on which day, and in words.

import { useQuery } from '@apollo/client/react';
import { dateOf } from 'trestle-web-kit/ui/dates';

import { CLOSED } from '../api/lists';
import { useLoaded } from '../api/loaded';
import { useHidden } from '../api/pending';
import { useReason } from '../api/reason';
import { graphql } from '../gql';
import type { AgendaQuery } from '../gql/graphql';

const AgendaDocument = graphql(`
  query Agenda($from: Date!, $to: Date!) {
    agenda(from: $from, to: $to) {
      kind
      date
      scheduledAt
      application {
        id
        companyName
        status
        isArchived
        nextAction
        ...OnBoard
      }
      interviewStage {
        id
        name
        isCompleted
      }
    }
  }
`);

export type Entry = NonNullable<NonNullable<AgendaQuery['agenda']>[number]>;

/** The entries from one day to another. `reason`: why they could not be loaded. `at`: when they were, if by an earlier page. */
export function useAgenda(from: string, to: string) {
  const variables = { from, to };
  const { data, error, loading, refetch, observable } = useQuery(AgendaDocument, {
    variables,
    fetchPolicy: 'cache-and-network',
    nextFetchPolicy: 'cache-first',
  });
  const at = useLoaded(observable, AgendaDocument, variables, data !== undefined);
  const hidden = useHidden();
  const entries = data?.agenda?.flatMap((entry) => (entry && !hidden.has(entry.application.id) ? [entry] : []));
  return { entries, at, loading, reason: useReason(error), refetch };
}

/** Whether there is still something to do. */
export function isOpen({ kind, application, interviewStage }: Entry, isPast: boolean): boolean {
  if (kind === 'OFFER_DUE') return application.status === 'GIVEN_OFFER';
  if (CLOSED.includes(application.status)) return false;
  return !interviewStage || !(interviewStage.isCompleted || isPast);
}

/** The day where the person is: that of an interview abroad can be another one there. */
export function dayOf({ scheduledAt, date }: Entry): string {
  return scheduledAt ? dateOf(new Date(scheduledAt)) : date;
}

export function what({ kind, application, interviewStage }: Entry): string {
  if (kind === 'OFFER_DUE') return 'Answer the offer';
  if (kind === 'NEXT_ACTION') return application.nextAction ?? 'Next step';
  return interviewStage?.name ?? 'Interview';
}
