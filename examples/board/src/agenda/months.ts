// Months as calendars show them: whole weeks.

import { daysAfter } from 'trestle-web-kit/ui/dates';
import { LOCALE } from 'trestle-web-kit/ui/locale';

/** A month: `2026-11`. */
export type MonthName = string;

const TITLE = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const WEEKDAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', timeZone: 'UTC' });
const WHOLE = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });

const DAY_MS = 86_400_000;

const time = (date: string) => new Date(`${date}T00:00:00Z`);

/** `November 2026`. */
export function titleOf(month: MonthName): string {
  return TITLE.format(time(`${month}-01`));
}

/** `Wednesday, November 25`. */
export function wholeDay(date: string): string {
  return WHOLE.format(time(date));
}

/** The month so many months later. */
export function monthsAfter(month: MonthName, months: number): MonthName {
  const first = time(`${month}-01`);
  first.setUTCMonth(first.getUTCMonth() + months);
  return first.toISOString().slice(0, 7);
}

/** The day with which a week begins where the browser is: 0 for Sunday. */
function weekBegins(): number {
  const locale = new Intl.Locale(LOCALE) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number };
    weekInfo?: { firstDay: number };
  };
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
}

/** All days of the weeks of a month, by weeks. */
export function weeksOf(month: MonthName): readonly (readonly string[])[] {
  const first = `${month}-01`;
  const back = (time(first).getUTCDay() - weekBegins() + 7) % 7;
  const weeks: string[][] = [];
  for (let monday = daysAfter(first, -back); monday.slice(0, 7) <= month; monday = daysAfter(monday, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, day) => daysAfter(monday, day)));
  }
  return weeks;
}

/**
 * The number of a week in its year, by all of its days. Where weeks begin on Monday, the first week of a year is the one with its
 * first Thursday (ISO 8601); elsewhere it is the one with its first day.
 */
export function weekNumber(week: readonly string[]): number {
  const day = week[weekBegins() === 1 ? 3 : 6] ?? '';
  const before = time(day).getTime() - time(`${day.slice(0, 4)}-01-01`).getTime();
  return Math.floor(before / (7 * DAY_MS)) + 1;
}

/** `Mon`, `Tue` and so on, as weeks begin here. */
export function weekdays(month: MonthName): readonly string[] {
  return (weeksOf(month)[0] ?? []).map((date) => WEEKDAY.format(time(date)));
}
