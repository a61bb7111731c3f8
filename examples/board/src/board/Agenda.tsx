// The week ahead: interviews, next steps and offers to answer, and what of that is late.

import { clock, dayNear, daysAfter, today } from 'trestle-web-kit/ui/dates';

import { dayOf, isOpen, useAgenda, what } from '../agenda/entries';
import type { ApplicationStatus } from '../gql/graphql';
import { href } from '../route';
import { AsOf } from '../ui/AsOf';
import { NotLoaded } from '../ui/NotLoaded';
import { Icon } from '../ui/icons';

/** Days ahead, with today. */
const AHEAD = 7;
/** Days back in which what was not done is shown as late. */
const BACK = 14;

/** What is due this week, the first due first. */
export function useWeek() {
  const now = today();
  const { entries: all, ...more } = useAgenda(daysAfter(now, -BACK), daysAfter(now, AHEAD));
  const entries = (all ?? [])
    .map((entry) => ({ ...entry, day: dayOf(entry) }))
    .filter((entry) => entry.day < daysAfter(now, AHEAD) && isOpen(entry, entry.day < now));
  return { ...more, entries, isThere: all !== undefined };
}

type Week = ReturnType<typeof useWeek>;

/** The ids of what of it has a status, each once. */
export function dueIn({ entries }: Week, status: ApplicationStatus): string[] {
  const due = entries.filter(({ application: one }) => one.status === status && !one.isArchived);
  const times = due.toSorted((one, other) => one.day.localeCompare(other.day));
  return [...new Set(times.map(({ application }) => application.id))];
}

export function Agenda({ week: { entries, isThere, at, reason, refetch } }: { week: Week }) {
  const now = today();
  if (reason !== null && !isThere) {
    return <NotLoaded className="agenda-error" what="What comes this week" reason={reason} again={refetch} />;
  }
  if (entries.length === 0) return null;
  return (
    <section className="agenda" aria-labelledby="agenda-title">
      <h2 id="agenda-title">This week</h2>
      <AsOf at={at} missing={false} />
      <ol>
        {entries.map((entry) => (
          <li key={`${entry.kind} ${entry.application.id} ${entry.interviewStage?.id}`} className={entry.day < now ? 'late' : ''}>
            <a href={href(`/applications/${entry.application.id}`)}>
              <time dateTime={entry.scheduledAt ?? entry.date}>
                {dayNear(entry.day)}
                {entry.scheduledAt && `, ${clock(entry.scheduledAt)}`}
              </time>
              <b>{entry.application.companyName}</b>
              <span>{what(entry)}</span>
            </a>
          </li>
        ))}
      </ol>
      <a className="link" href={href('/agenda')}>
        Month
      </a>
      <a className="link" href={href('/agenda/calendar')}>
        <Icon name="calendar" /> In your calendar
      </a>
    </section>
  );
}
