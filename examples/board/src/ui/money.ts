// Amounts of money as people read them, each in its application's own currency. For those that have none, as earlier releases
// stored them, a person chooses one.

import { useSyncExternalStore } from 'react';
import { NUMBERS } from 'trestle-web-kit/ui/locale';

import type { SalaryPeriod } from '../gql/graphql';

const PLACE = 'trestle-board-currency';
const CODE = /^[A-Z]{3}$/u;

/** The currency of amounts that have none, if the person has chosen one. */
export function currency(): string | null {
  const chosen = localStorage.getItem(PLACE);
  return chosen && CODE.test(chosen) ? chosen : null;
}

/** Chooses the currency of amounts that have none; empty for none. */
export function chooseCurrency(code: string): void {
  localStorage.setItem(PLACE, code);
  // The browser reports a change of the storage to other tabs alone.
  window.dispatchEvent(new Event('storage'));
}

/** The currency of amounts that have none; empty if none was chosen. */
export function useCurrency(): string | null {
  return useSyncExternalStore((listener) => {
    window.addEventListener('storage', listener);
    return () => window.removeEventListener('storage', listener);
  }, currency);
}

/** What an amount is paid for. A year is what people take for granted. */
export const PERIOD_WORDS: Record<SalaryPeriod, string> = {
  YEAR: 'a year',
  MONTH: 'a month',
  DAY: 'a day',
  HOUR: 'an hour',
};

/** The salary of an application. */
export interface Pay {
  readonly salaryMin: number | null;
  readonly salaryMax: number | null;
  readonly salaryCurrency: string | null;
  readonly salaryPeriod: SalaryPeriod | null;
}

/** `$150,000`, or `150,000` where no currency is known. */
export function money(value: number, code: string | null): string {
  return format(value, code, {});
}

/** `$120K – $150K`, or `€60 an hour`. */
export function salary({ salaryMin: min, salaryMax: max, salaryCurrency: code, salaryPeriod: period }: Pay): string | null {
  const short = (value: number) =>
    format(value, code, value >= 10_000 ? { notation: 'compact', maximumFractionDigits: 1 } : {});
  const per = period && period !== 'YEAR' ? ` ${PERIOD_WORDS[period]}` : '';
  if (min !== null && max !== null) return (min === max ? short(min) : `${short(min)} – ${short(max)}`) + per;
  if (min !== null) return `from ${short(min)}${per}`;
  return max === null ? null : `up to ${short(max)}${per}`;
}

function format(value: number, own: string | null, options: Intl.NumberFormatOptions): string {
  const code = own && CODE.test(own) ? own : currency();
  const style: Intl.NumberFormatOptions = code ? { style: 'currency', currency: code } : {};
  const digits = { minimumFractionDigits: 0, maximumFractionDigits: 0 };
  return new Intl.NumberFormat(NUMBERS, { ...style, ...digits, ...options }).format(value);
}
