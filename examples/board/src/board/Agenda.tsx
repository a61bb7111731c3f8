// The week ahead: interviews, next steps and offers to answer, and what of that is late.

import { clock, dayNear, daysAfter, today } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { dayOf, type Entry, isOpen, useAgenda, what } from '../agenda/entries';
import { href } from '../route';
import { AsOf } from '../ui/AsOf';
import { Icon } from '../ui/icons';

/** Days ahead, with today. */
const AHEAD = 7;
/** Days back in which what was not done is shown as late. */
const BACK = 14;

export function Agenda() {
  const notices = useNotices();
  const now = today();
  const { data, at, reason, refetch } = useAgenda(daysAfter(now, -BACK), daysAfter(now, AHEAD));
  const entries = (data?.agenda ?? [])
    .flatMap((entry) => (entry ? [{ ...entry, day: dayOf(entry) }] : []))
    .filter((entry) => entry.day < daysAfter(now, AHEAD) && isOpen(entry, entry.day < now));
  if (reason !== null && !data) {
    return (
      <p className="agenda-error" role="alert">
        What comes this week could not be loaded{reason}.{' '}
        <button type="button" className="link" onClick={() => void refetch()}>
          Try again
        </button>
      </p>
    );
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
      <button
        type="button"
        className="link"
        onClick={() => void saveCalendar(entries).catch(() => notices.warn('The calendar could not be made.'))}
      >
        <Icon name="calendar" /> Save as .ics
      </button>
    </section>
  );
}

/** Saves the entries for a calendar. What makes the file is loaded when it is asked for. */
async function saveCalendar(entries: readonly Entry[]): Promise<void> {
  const [{ download }, { ics }] = await Promise.all([import('trestle-web-kit/ui/csv'), import('../ui/ics')]);
  const events = entries.map((entry) => ({
    id: `${entry.kind}-${entry.interviewStage?.id ?? entry.application.id}`.toLowerCase(),
    title: `${entry.application.companyName}: ${what(entry)}`,
    url: new URL(href(`/applications/${entry.application.id}`, new URLSearchParams()), window.location.href).href,
    at: entry.scheduledAt ?? entry.date,
  }));
  download('this-week.ics', 'text/calendar', ics(events));
}
