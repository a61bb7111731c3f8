// Amounts of money as people write them, with their currency and what they are paid for. One that is in another currency than
// the application's is not stored as if it were in that.

import { NUMBERS, REGION } from 'trestle-web-kit/ui/locale';

import type { SalaryPeriod } from '../gql/graphql';
import { currency, PERIOD_WORDS } from './money';

/** Currencies by the region of the browser's language: offered first, and taken for none. */
const CURRENCIES: Record<string, string> = {
  AE: 'AED', AR: 'ARS', AU: 'AUD', BD: 'BDT', BR: 'BRL', CA: 'CAD', CH: 'CHF', CL: 'CLP', CN: 'CNY', CO: 'COP', CZ: 'CZK',
  DK: 'DKK', EG: 'EGP', GB: 'GBP', HK: 'HKD', HU: 'HUF', ID: 'IDR', IL: 'ILS', IN: 'INR', JP: 'JPY', KE: 'KES', KR: 'KRW',
  LK: 'LKR', MA: 'MAD', MX: 'MXN', MY: 'MYR', NG: 'NGN', NO: 'NOK', NZ: 'NZD', PE: 'PEN', PH: 'PHP', PK: 'PKR', PL: 'PLN',
  QA: 'QAR', RO: 'RON', RS: 'RSD', SA: 'SAR', SE: 'SEK', SG: 'SGD', TH: 'THB', TR: 'TRY', TW: 'TWD', UA: 'UAH', US: 'USD',
  VN: 'VND', ZA: 'ZAR',
};

/** All currencies that can be chosen. */
export const CURRENCY_CODES: readonly string[] = [...new Set([...Object.values(CURRENCIES), 'EUR'])].toSorted();

/** The currencies with their names, and with one more that an application has. */
export function currencyWords(own: string | null): Record<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'currency' });
  const codes = own && !CURRENCY_CODES.includes(own) ? [own, ...CURRENCY_CODES] : CURRENCY_CODES;
  const name = (code: string) => (/^[A-Z]{3}$/u.test(code) ? names.of(code) : undefined);
  return Object.fromEntries(codes.map((code) => [code, name(code) === code ? code : `${code}, ${name(code) ?? ''}`]));
}

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
  /** What it is paid for; empty if the text does not say it. */
  readonly period: SalaryPeriod | null;
}

/** What people write for the time that an amount is paid for. */
const PERIODS: readonly (readonly [SalaryPeriod, RegExp])[] = [
  ['YEAR', behind('years?|yr|annum|annually|annual|yearly|p\\.?\\s?a')],
  ['MONTH', behind('months?|monthly|mo|p\\.?\\s?m')],
  ['DAY', behind('days?|daily')],
  ['HOUR', behind('hours?|hourly|hrs?|(?<=/\\s*)h')],
];

function behind(words: string): RegExp {
  return new RegExp(`\\s*(?:/|\\bper\\s+|\\ban?\\s+)?\\s*(?:${words})(?![a-z])\\.?`, 'giu');
}

/**
 * `150k`, `£150,000 per year`, `100 000 EUR`, `90k - 110k`, `$60 an hour`. Nothing if the text is not one or two whole amounts,
 * the lower one first.
 */
export function amounts(text: string): Amounts | null {
  const read = inAnyOrder(text);
  return read && (read.max === null || read.min <= read.max) ? read : null;
}

/** The same in the order in which the amounts are written. */
function inAnyOrder(text: string): Amounts | null {
  const [period = null, pattern] = PERIODS.find(([, words]) => text.search(words) >= 0) ?? [];
  const { rest, currencies } = withoutCurrency(pattern ? text.replace(pattern, '') : text);
  const parts = rest.split(/\s*(?:–|—|\bto\b|(?<=[\dkm]\s*)-(?=\s*\d))\s*/iu);
  const values = parts.map(amount);
  const [min, max] = values;
  if (values.length > 2 || values.includes(null) || min === null || min === undefined) return null;
  if (max === null || max === undefined) return { min, max: null, currencies, period };
  // In `90 - 110k` both are thousands.
  const low = min < 1000 && /[km]\s*$/iu.test(rest.trim()) && max >= 1000 ? min * 1000 : min;
  return { min: low, max, currencies, period };
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
  return Number.isSafeInteger(value) ? value : null;
}

/** The same as people write it behind an amount. */
const PERIOD_TEXTS: Record<SalaryPeriod, string> = { YEAR: 'a year', MONTH: 'a month', DAY: 'a day', HOUR: 'an hour' };

/** What an amount that is written down has to agree with. */
export interface Agreed {
  readonly currency: string | null;
  readonly period?: SalaryPeriod | null;
  /** The other end of the range that the amount is one end of; empty if there is none. */
  readonly beside?: number | null;
}

/** Why a text cannot be read, and what to write. */
function unread(text: string): string {
  const written = inAnyOrder(text);
  if (written?.max != null) {
    const [low, high] = [written.max, written.min].map((value) => new Intl.NumberFormat(NUMBERS).format(value));
    return `“${text}” goes from the higher amount to the lower one: write ${low} – ${high}.`;
  }
  // A group of three digits, and one or two behind another sign.
  const whole = /^(.*\d([.,'’\s])\d{3})(?!\2)[.,]\d{1,2}(?!\d)/u.exec(text)?.[1];
  const without = whole === undefined ? null : amounts(whole);
  if (without) return `“${text}” has a fraction: write it without, ${new Intl.NumberFormat(NUMBERS).format(without.min)}.`;
  return `“${text}” is not a whole amount: write 150,000, 150k, 90k – 110k or 60 an hour.`;
}

/** Why a text is not stored as an amount beside others, and what to write; nothing if it is. */
export function amountProblem(text: string, agreed: Agreed): string | null {
  const read = amounts(text);
  if (!read) return unread(text);
  // Two amounts at once are for the same.
  if (read.max === null && read.period && read.period !== agreed.period) {
    const { period = null, beside = null } = agreed;
    const own = `“${text}” is for ${PERIOD_WORDS[read.period]}, and the salary`;
    if (period) return `${own} for ${PERIOD_WORDS[period]}: change that first.`;
    if (beside !== null) {
      const [one, other] = [read.min, beside].map((value) => new Intl.NumberFormat(NUMBERS).format(value));
      return `${own} of ${other} beside it is not: write both, such as ${one} – ${one} ${PERIOD_TEXTS[read.period]}, or change “Salary for” first.`;
    }
  }
  if (read.currencies === null) return null;
  const { currency: code } = agreed;
  if (code !== null) {
    if (read.currencies.includes(code)) return null;
    return `“${text}” is not in ${code}, which the salary is in: write what it is in ${code}, or change the currency first.`;
  }
  if (currencyOf(read) !== null) return null;
  return `“${text}” can be in ${read.currencies.slice(0, 3).join(', ')} or others: write the code, such as ${read.currencies[0] ?? ''}.`;
}

/** The currency that an amount names: of those that its sign may mean, the person's or the browser's first. */
export function currencyOf({ currencies }: Amounts): string | null {
  const chosen = currency();
  if (currencies === null) return chosen;
  const [only, more] = currencies;
  if (more === undefined) return only ?? null;
  return [chosen, CURRENCIES[REGION]].find((code) => code && currencies.includes(code)) ?? null;
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
