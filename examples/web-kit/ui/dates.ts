// How dates, times and numbers are written for people.

import { LOCALE, NUMBERS } from './locale';

const DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DAY_OF_YEAR = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const WEEKDAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' });
const NUMBER = new Intl.NumberFormat(NUMBERS);
const AGO = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const DAYS = new Intl.NumberFormat(NUMBERS, { style: 'unit', unit: 'day', unitDisplay: 'long' });
const HOURS = new Intl.NumberFormat(NUMBERS, { style: 'unit', unit: 'hour', unitDisplay: 'long' });

/** `20 Nov`, with the year where it is not this one. */
export function day(date: string): string {
  const format = date.startsWith(today().slice(0, 4)) ? DAY : DAY_OF_YEAR;
  return format.format(new Date(`${date}T00:00:00Z`));
}

/** `20 Nov`, of whatever year. */
export function dayOfMonth(date: string): string {
  return DAY.format(new Date(`${date}T00:00:00Z`));
}

export function moment(time: string): string {
  return MOMENT.format(new Date(time));
}

/** A moment with its seconds, for what happens several times in a minute. */
export function exactMoment(time: string): string {
  return EXACT.format(new Date(time));
}

export function number(value: number): string {
  return NUMBER.format(value);
}

/** `5 minutes ago`. */
export function ago(time: string): string {
  const seconds = (new Date(time).getTime() - Date.now()) / 1000;
  const steps: [number, Intl.RelativeTimeFormatUnit][] = [
    [60, 'second'],
    [60, 'minute'],
    [24, 'hour'],
    [30, 'day'],
    [12, 'month'],
    [Infinity, 'year'],
  ];
  let value = seconds;
  for (const [size, unit] of steps) {
    // As in `lasting`, an hour counts when it is over.
    if (Math.abs(value) < size) return AGO.format(Math.trunc(value), unit);
    value /= size;
  }
  return moment(time);
}

/** `12 days`; nothing for less than an hour. */
export function lasting(since: string): string | null {
  const hours = Math.floor((Date.now() - new Date(since).getTime()) / 3_600_000);
  if (hours < 1) return null;
  return hours < 48 ? HOURS.format(hours) : DAYS.format(Math.floor(hours / 24));
}

/** The date of a moment where the person is. */
export function dateOf(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** Today where the person is. */
export function today(): string {
  return dateOf(new Date());
}

/** The date so many days after another one. */
export function daysAfter(date: string, days: number): string {
  const time = new Date(`${date}T00:00:00Z`);
  time.setUTCDate(time.getUTCDate() + days);
  return time.toISOString().slice(0, 10);
}

/** `today`, `tomorrow`, or `Mon, Nov 23`. */
export function dayNear(date: string): string {
  const away = [-1, 0, 1].find((days) => daysAfter(today(), days) === date);
  return away === undefined ? WEEKDAY.format(new Date(`${date}T00:00:00Z`)) : AGO.format(away, 'day');
}

/** `2:30 PM` where the person is. */
export function clock(time: string): string {
  return CLOCK.format(new Date(time));
}
