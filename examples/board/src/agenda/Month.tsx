// A month of interviews, next steps and offers to answer. On a phone, the days that have any.

import { Fragment, useState } from 'react';
import { clock, daysAfter, today } from 'trestle-web-kit/ui/dates';

import { href } from '../route';
import { AsOf } from '../ui/AsOf';
import { useAway } from '../ui/away';
import { NotLoaded } from '../ui/NotLoaded';
import { Icon } from '../ui/icons';
import { dayOf, type Entry, isOpen, useAgenda, what } from './entries';
import { monthsAfter, titleOf, weekdays, weekNumber, weeksOf, wholeDay } from './months';

export function Month() {
  const now = today();
  const [month, setMonth] = useState(() => now.slice(0, 7));
  const weeks = weeksOf(month);
  const [first = now, last = now] = [weeks[0]?.[0], weeks.at(-1)?.[6]];
  // An interview abroad can be on another day there.
  const { entries, at, loading, reason, refetch } = useAgenda(daysAfter(first, -1), daysAfter(last, 1));
  const away = useAway();
  const days = new Map<string, Entry[]>();
  for (const entry of entries ?? []) {
    if (!isOpen(entry, false)) continue;
    const day = dayOf(entry);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  const inMonth = [...days].some(([day]) => day.startsWith(month));
  return (
    <section className="month" aria-labelledby="month-title" aria-busy={loading}>
      <div className="month-bar">
        <h1 id="month-title" aria-live="polite">
          {titleOf(month)}
        </h1>
        <span className="grow" />
        <button type="button" className="button" disabled={now.startsWith(month)} onClick={() => setMonth(now.slice(0, 7))}>
          Today
        </button>
        <button type="button" className="button" aria-label="Month before" onClick={() => setMonth(monthsAfter(month, -1))}>
          <Icon name="back" />
        </button>
        <button type="button" className="button" aria-label="Month after" onClick={() => setMonth(monthsAfter(month, 1))}>
          <Icon name="fold" />
        </button>
      </div>
      <AsOf at={at} missing={!entries} />
      {reason !== null && !entries && <NotLoaded className="empty" what="This month" reason={reason} again={refetch} />}
      {loading && !entries && away === null && (
        <p className="empty" role="status">
          Loading {titleOf(month)}
        </p>
      )}
      <div className="weekdays" aria-hidden="true">
        {weekdays(month).map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <ol className="days" style={{ gridTemplateRows: `repeat(${weeks.length}, minmax(92px, auto))` }}>
        {weeks.map((week) => (
          <Fragment key={week[0]}>
            {week.some((day) => day.startsWith(month) && days.has(day)) && <li className="week-name">Week {weekNumber(week)}</li>}
            {week.map((day) => (
              <Day key={day} day={day} entries={days.get(day) ?? []} isNow={day === now} inMonth={day.startsWith(month)} />
            ))}
          </Fragment>
        ))}
      </ol>
      {entries && !inMonth && <p className="empty">Nothing is due in {titleOf(month)}.</p>}
    </section>
  );
}

function Day({
  day,
  entries,
  isNow,
  inMonth,
}: {
  day: string;
  entries: readonly Entry[];
  isNow: boolean;
  inMonth: boolean;
}) {
  const classes = [!inMonth && 'other', isNow && 'now', entries.length === 0 && 'free'].filter(Boolean).join(' ');
  return (
    <li className={classes} aria-current={isNow ? 'date' : undefined}>
      <time dateTime={day}>
        <span aria-hidden="true">{Number(day.slice(8))}</span>
        <span className="visually-hidden whole-day">{wholeDay(day)}</span>
      </time>
      <ul>
        {entries.map((entry) => (
          <li key={`${entry.kind} ${entry.application.id} ${entry.interviewStage?.id}`}>
            <a href={href(`/applications/${entry.application.id}`)} data-kind={entry.kind} title={`${entry.application.companyName}: ${what(entry)}`}>
              {entry.scheduledAt && <b>{clock(entry.scheduledAt)}</b>} {entry.application.companyName}{' '}
              <span>{what(entry)}</span>
            </a>
          </li>
        ))}
      </ul>
    </li>
  );
}
