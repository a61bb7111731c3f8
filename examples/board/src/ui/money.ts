// The currency of all amounts, and amounts of money as people read them. The API stores whole numbers and no currency: all
// amounts of a person are in one, which they choose.

import { useSyncExternalStore } from 'react';
import { NUMBERS } from 'trestle-web-kit/ui/locale';

const PLACE = 'trestle-board-currency';

/** The currency of all amounts, if the person has chosen one. */
export function currency(): string | null {
  const chosen = localStorage.getItem(PLACE);
  return chosen && /^[A-Z]{3}$/u.test(chosen) ? chosen : null;
}

/** Chooses the currency of all amounts; empty for none. */
export function chooseCurrency(code: string): void {
  localStorage.setItem(PLACE, code);
  // The browser reports a change of the storage to other tabs alone.
  window.dispatchEvent(new Event('storage'));
}

/** The currency of all amounts; empty if none was chosen. */
export function useCurrency(): string | null {
  return useSyncExternalStore((listener) => {
    window.addEventListener('storage', listener);
    return () => window.removeEventListener('storage', listener);
  }, currency);
}

/** `$150,000`, or `150,000` where no currency was chosen. */
export function money(value: number): string {
  return format(value, {});
}

/** `$120K – $150K`. */
export function salary(min: number | null, max: number | null): string | null {
  const short = (value: number) =>
    format(value, value >= 10_000 ? { notation: 'compact', maximumFractionDigits: 1 } : {});
  if (min !== null && max !== null) return min === max ? short(min) : `${short(min)} – ${short(max)}`;
  if (min !== null) return `from ${short(min)}`;
  return max === null ? null : `up to ${short(max)}`;
}

function format(value: number, options: Intl.NumberFormatOptions): string {
  const code = currency();
  const style: Intl.NumberFormatOptions = code ? { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' } : {};
  const digits = { minimumFractionDigits: 0, maximumFractionDigits: 0 };
  return new Intl.NumberFormat(NUMBERS, { ...style, ...digits, ...options }).format(value);
}
