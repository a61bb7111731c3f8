// What of the agenda is still to be done, on which day, and in words.

import { dateOf } from 'trestle-web-kit/ui/dates';

import { CLOSED } from '../api/lists';
import type { AgendaQuery } from '../gql/graphql';

export type Entry = NonNullable<NonNullable<AgendaQuery['agenda']>[number]>;

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
