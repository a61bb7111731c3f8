// A month, whose days are picked as options of a poll.

import { useState } from 'react';
import { day as dayText } from 'trestle-web-kit/ui/dates';
import { LOCALE } from 'trestle-web-kit/ui/locale';

/** A month: its first day, in UTC. */
function monthOf(at: Date): Date {
  return new Date(Date.UTC(at.getFullYear(), at.getMonth(), 1));
}

function iso(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** Its weeks, from Monday on, with the days of its neighbours left out. */
function weeksOf(month: Date): (string | null)[][] {
  const blank = (month.getUTCDay() + 6) % 7;
  const count = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  const days = Array.from({ length: count }, (_, at) => iso(new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth(), at + 1))));
  const cells = [...Array.from({ length: blank }, () => null), ...days];
  return Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

/** `picked`: days as ISO 8601 writes them. */
export function Calendar({ picked, onPick }: { picked: readonly string[]; onPick: (days: readonly string[]) => void }) {
  const [month, setMonth] = useState(() => monthOf(new Date()));
  const title = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(month);
  const go = (by: number) => setMonth(new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + by, 1)));
  const toggle = (day: string) => onPick(picked.includes(day) ? picked.filter((other) => other !== day) : [...picked, day].toSorted());
  return (
    <div className="calendar" role="group" aria-label="Calendar">
      <div className="calendar-bar">
        <button type="button" className="bare" aria-label="Month before" onClick={() => go(-1)}>
          ‹
        </button>
        <b aria-live="polite">{title}</b>
        <button type="button" className="bare" aria-label="Next month" onClick={() => go(1)}>
          ›
        </button>
      </div>
      {weeksOf(month).map((week) => (
        <div className="week" key={week.find(Boolean)}>
          {week.map((day, at) =>
            day ? (
              <button
                type="button"
                key={day}
                aria-pressed={picked.includes(day)}
                aria-label={dayText(day)}
                onClick={() => toggle(day)}
              >
                {Number(day.slice(8))}
              </button>
            ) : (
              <span key={`blank ${at}`} />
            ),
          )}
        </div>
      ))}
    </div>
  );
}
