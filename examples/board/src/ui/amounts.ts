// Amounts of money as people write them. One that is in another currency than all others is not stored as if it were in that.

import { REGION } from 'trestle-web-kit/ui/locale';

import { currency } from './money';

/** The most that the API's `Int` holds. */
const MOST = 2 ** 31 - 1;

/** Currencies by the region of the browser's language: offered first, and taken for none. */
const CURRENCIES: Record<string, string> = {
  AU: 'AUD', BR: 'BRL', CA: 'CAD', CH: 'CHF', CN: 'CNY', CZ: 'CZK', DK: 'DKK', GB: 'GBP', HK: 'HKD', HU: 'HUF',
  IL: 'ILS', IN: 'INR', JP: 'JPY', KR: 'KRW', MX: 'MXN', NO: 'NOK', NZ: 'NZD', PL: 'PLN', SE: 'SEK', SG: 'SGD',
  TR: 'TRY', UA: 'UAH', US: 'USD', ZA: 'ZAR',
};

/** All currencies that can be chosen. */
export const CURRENCY_CODES: readonly string[] = [...new Set([...Object.values(CURRENCIES), 'EUR'])].toSorted();

/** What people write for currencies beside their codes, the longer first. A sign can stand for several. */
const SIGNS: readonly (readonly [string, readonly string[]])[] = [
  ['US$', ['USD']], ['CA$', ['CAD']], ['AU$', ['AUD']], ['NZ$', ['NZD']], ['HK$', ['HKD']], ['MX$', ['MXN']],
  ['R$', ['BRL']], ['C$', ['CAD']], ['A$', ['AUD']], ['S$', ['SGD']],
  ['$', ['USD', 'CAD', 'AUD', 'NZD', 'HKD', 'SGD', 'MXN']],
  ['£', ['GBP']], ['€', ['EUR']], ['₹', ['INR']], ['¥', ['JPY', 'CNY']], ['₩', ['KRW']], ['₪', ['ILS']], ['₴', ['UAH']],
  ['₺', ['TRY']], ['zł', ['PLN']], ['Kč', ['CZK']], ['kr', ['SEK', 'NOK', 'DKK']], ['Ft', ['HUF']],
];

/** One amount, or a range of two. */
export interface Amounts {
  readonly min: number;
  /** Empty for a single amount. */
  readonly max: number | null;
  /** The currencies that the text may mean; empty if it names none. */
  readonly currencies: readonly string[] | null;
}

/** What is a year's amount anyway. */
const YEARLY = /\s*(?:\/|\bper\s+|\ba\s+)?\s*(?:years?|yr|annum|annually|yearly|p\.?\s?a\.?)(?![a-z])\.?/giu;

/** `150k`, `£150,000 per year`, `100 000 EUR`, `90k - 110k`. Nothing if the text is not one or two whole amounts of a year. */
export function amounts(text: string): Amounts | null {
  const { rest, currencies } = withoutCurrency(text.replace(YEARLY, ''));
  const parts = rest.split(/\s*(?:–|—|\bto\b|(?<=[\dkm]\s*)-(?=\s*\d))\s*/iu);
  const values = parts.map(amount);
  const [min, max] = values;
  if (values.length > 2 || values.includes(null) || min === null || min === undefined) return null;
  if (max === null || max === undefined) return { min, max: null, currencies };
  // In `90 - 110k` both are thousands.
  const low = min < 1000 && /[km]\s*$/iu.test(rest.trim()) && max >= 1000 ? min * 1000 : min;
  return low <= max ? { min: low, max, currencies } : null;
}

/** The text without the names of its currency. Two different ones are left, so that it is no amount. */
function withoutCurrency(text: string): { readonly rest: string; readonly currencies: readonly string[] | null } {
  let rest = text;
  let currencies: readonly string[] | null = null;
  const codes = CURRENCY_CODES.map((code) => [code, [code]] as const);
  for (const [sign, meant] of [...codes, ...SIGNS]) {
    const word = /^[a-z]+$/iu.test(sign);
    const pattern = sign.replace('$', '\\$');
    const all = new RegExp(word ? `(?<![a-z])${pattern}(?![a-z])` : pattern, word ? 'giu' : 'gu');
    const without = rest.replace(all, ' ');
    if (without === rest) continue;
    const both: readonly string[] = currencies === null ? meant : meant.filter((code) => currencies?.includes(code));
    if (both.length === 0) return { rest: text, currencies: null };
    rest = without;
    currencies = both;
  }
  return { rest, currencies };
}

/** One whole amount. A separator in front of exactly three digits groups them, and any other one is a decimal point. */
function amount(text: string): number | null {
  const plain = text.replace(/[\s'’_]/gu, '');
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

/** Why a text is not stored as an amount in `code`, and what to write; nothing if it is. */
export function amountProblem(text: string, code: string | null): string | null {
  const read = amounts(text);
  if (!read) return `“${text}” is not a whole amount of a year: write 150,000, 150k or 90k – 110k.`;
  if (read.currencies === null || (code !== null && read.currencies.includes(code))) return null;
  if (code === null) return `“${text}” names a currency: choose first what all amounts are in.`;
  return `“${text}” is not in ${code}, which all amounts are in: write what it is in ${code}.`;
}

/** The currency that texts most likely are in: of those that all of them may mean, the chosen one or the browser's first. */
export function likelyCurrency(texts: readonly string[]): string | null {
  const named = texts.flatMap((text) => [amounts(text)?.currencies ?? []]).filter((codes) => codes.length > 0);
  const [first, ...others] = named;
  const chosen = currency();
  if (!first) return chosen;
  const all = first.filter((code) => others.every((codes) => codes.includes(code)));
  const [only, more] = all;
  if (chosen && all.includes(chosen)) return chosen;
  if (more === undefined) return only ?? chosen;
  return all.find((code) => code === CURRENCIES[REGION]) ?? chosen;
}
