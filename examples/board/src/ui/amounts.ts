// Amounts of money as people write and read them.

import { useSyncExternalStore } from 'react';

const LOCALE = navigator.language;
const PLACE = 'trestle-board-currency';

/** The most that the API's `Int` holds. */
const MOST = 2 ** 31 - 1;

/** Currencies by the region of the browser's language; the person can choose another one. */
const CURRENCIES: Record<string, string> = {
  AU: 'AUD', BR: 'BRL', CA: 'CAD', CH: 'CHF', CN: 'CNY', CZ: 'CZK', DK: 'DKK', GB: 'GBP', HK: 'HKD', HU: 'HUF',
  IL: 'ILS', IN: 'INR', JP: 'JPY', KR: 'KRW', MX: 'MXN', NO: 'NOK', NZ: 'NZD', PL: 'PLN', SE: 'SEK', SG: 'SGD',
  TR: 'TRY', UA: 'UAH', US: 'USD', ZA: 'ZAR',
};

/** All currencies that can be chosen. */
const CURRENCY_CODES = [...new Set([...Object.values(CURRENCIES), 'EUR'])].toSorted();

/** The currency of all amounts: the API stores numbers alone. */
function currency(): string {
  const chosen = localStorage.getItem(PLACE);
  if (chosen && CURRENCY_CODES.includes(chosen)) return chosen;
  const { region, language } = new Intl.Locale(LOCALE).maximize();
  return CURRENCIES[region ?? ''] ?? (language === 'en' ? 'USD' : 'EUR');
}

/** The currency, and how to choose another one. */
export function useCurrency() {
  const code = useSyncExternalStore((listener) => {
    window.addEventListener('storage', listener);
    return () => window.removeEventListener('storage', listener);
  }, currency);
  const choose = (other: string) => {
    localStorage.setItem(PLACE, other);
    // The browser reports a change of the storage to other tabs alone.
    window.dispatchEvent(new Event('storage'));
  };
  return { code, choose, codes: CURRENCY_CODES };
}

/** `$150,000`. */
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
  return new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency: currency(),
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 0,
    maximumFractionDigits: 0,
    ...options,
  }).format(value);
}

/** One amount, or a range of two. */
export interface Amounts {
  readonly min: number;
  /** Empty for a single amount. */
  readonly max: number | null;
}

/** `150k`, `$150,000`, `100 000 EUR`, `90k - 110k`. Nothing if the text is not one or two whole amounts. */
export function amounts(text: string): Amounts | null {
  const parts = text.split(/\s*(?:–|—|\bto\b|(?<=[\dkm€$£]\s*)-(?=\s*[\d€$£]))\s*/iu);
  const values = parts.map(amount);
  const [min, max] = values;
  if (values.length > 2 || values.includes(null) || min === null || min === undefined) return null;
  if (max === null || max === undefined) return { min, max: null };
  // In `90 - 110k` both are thousands.
  const low = min < 1000 && /[km]\s*$/iu.test(text.trim().replace(/[^\w]+$/u, '')) && max >= 1000 ? min * 1000 : min;
  return low <= max ? { min: low, max } : null;
}

/** One whole amount. A separator in front of exactly three digits groups them, and any other one is a decimal point. */
function amount(text: string): number | null {
  const plain = text.replace(/[\p{Sc}\s'’_]|\b[A-Z]{3}\b/giu, '');
  const [, digits, unit] = /^(\d+(?:[.,]\d+)*)(k|m)?$/iu.exec(plain) ?? [];
  if (!digits) return null;
  const groups = /^\d{1,3}([.,])\d{3}(?:\1\d{3})*(?:[.,]0{1,2})?$/u.test(digits) && !unit;
  const number = groups
    ? Number(digits.replace(/[.,]0{1,2}$/u, '').replace(/[.,]/gu, ''))
    : Number(digits.replace(/,/gu, '.'));
  const factor = { k: 1000, m: 1_000_000 }[unit?.toLowerCase() ?? ''] ?? 1;
  const value = Math.round(number * factor * 100) / 100;
  return Number.isInteger(value) && value <= MOST ? value : null;
}
