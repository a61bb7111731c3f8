// Dates as people and spreadsheets write them. What could be two days is neither until the person says so.

/** What comes first in a date of numbers with slashes, as 11/20/2026. */
export type DateOrder = 'month' | 'day';

const NUMBERS = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/u;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Whether the order of its numbers decides which day a text means. */
export function hasOrder(text: string): boolean {
  return NUMBERS.test(text);
}

/** The order in which all of these dates can be read, if there is but one. */
export function orderOf(texts: readonly string[]): DateOrder | null {
  const dates = texts.flatMap((text) => [NUMBERS.exec(text) ?? []]);
  const month = dates.some(([, , second]) => Number(second) > 12);
  const day = dates.some(([, first]) => Number(first) > 12);
  if (month === day) return null;
  return month ? 'month' : 'day';
}

/** The day as the API takes it; nothing where there is no such day, or more than one. */
export function isoDate(text: string, order: DateOrder | null): string | null {
  const [, year, month, day] = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)/u.exec(text) ?? [];
  if (year) return dayOf(year, month, day);
  const [, first, second, last] = NUMBERS.exec(text) ?? [];
  if (last) return order && (order === 'month' ? dayOf(last, first, second) : dayOf(last, second, first));
  // With dots the day comes first everywhere.
  const dotted = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/u.exec(text);
  if (dotted) return dayOf(dotted[3], dotted[2], dotted[1]);
  const named =
    /^(?<day>\d{1,2})[ -](?<name>[a-z]{3,9})\.?,?[ -](?<year>\d{4})(?:$|[ ,T])/iu.exec(text) ??
    /^(?<name>[a-z]{3,9})\.? (?<day>\d{1,2}),? (?<year>\d{4})(?:$|[ ,])/iu.exec(text);
  const name = named?.groups?.['name']?.slice(0, 3).toLowerCase();
  return dayOf(named?.groups?.['year'], String(MONTHS.indexOf(name ?? '') + 1), named?.groups?.['day']);
}

function dayOf(year = '', month = '', day = ''): string | null {
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(iso) ? iso : null;
}
