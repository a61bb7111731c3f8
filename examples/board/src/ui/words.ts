// How enum values, dates and amounts are written for people. The records are complete by their
// types: a value that the schema gains is a failed compilation here.

import {
  ApplicationStatus,
  CompanyCategory,
  type CreateApplicationInput,
  JobSource,
} from '../gql/graphql';
import { money } from './money';
import { LOCALE, NUMBERS } from './locale';

export const STATUS_WORDS: Record<ApplicationStatus, string> = {
  UNSUBMITTED: 'To apply',
  APPLIED: 'Applied',
  INTERVIEWING: 'Interviewing',
  GIVEN_OFFER: 'Offer',
  ACCEPTED_OFFER: 'Accepted',
  DECLINED_OFFER: 'Declined',
  NO_OFFER: 'No offer',
  REJECTED: 'Rejected',
};

export const CATEGORY_WORDS: Record<CompanyCategory, string> = {
  AI: 'AI',
  CLIMATE: 'Climate',
  CONSULTING: 'Consulting',
  CONSUMER_TECH: 'Consumer tech',
  CYBERSECURITY: 'Cybersecurity',
  EDUCATION: 'Education',
  ENERGY: 'Energy',
  ENTERPRISE_SOFTWARE: 'Enterprise software',
  E_COMMERCE: 'E-commerce',
  FINANCE: 'Finance',
  GAMING: 'Gaming',
  GOVERNMENT: 'Government',
  HEALTH: 'Health',
  HOSPITALITY: 'Hospitality',
  MEDIA_ENTERTAINMENT: 'Media and entertainment',
  NONPROFIT: 'Nonprofit',
  OTHER: 'Other',
  RESTAURANT: 'Restaurant',
  RETAIL: 'Retail',
};

export const SOURCE_WORDS: Record<JobSource, string> = {
  COLLEAGUE: 'Colleague',
  COMPANY_WEBSITE: 'Company website',
  FRIEND: 'Friend',
  INDEED: 'Indeed',
  LINKEDIN: 'LinkedIn',
  OTHER: 'Other',
  RECRUITER: 'Recruiter',
};

/** The fields of an application by their names in the API. */
export const FIELD_WORDS: Record<Exclude<keyof CreateApplicationInput, 'id'>, string> = {
  companyName: 'Company',
  positionTitle: 'Position',
  status: 'Status',
  dateApplied: 'Applied on',
  offerDueDate: 'Answer offer by',
  jobPostingUrl: 'Posting',
  companyUrl: 'Company site',
  companyCareerUrl: 'Careers page',
  companyCategory: 'Category',
  jobSource: 'Source',
  skillsMatch: 'Skills match',
  coverLetterRequired: 'Cover letter',
  salaryMin: 'Salary from',
  salaryMax: 'Salary to',
  specialRequirements: 'Requirements',
  nextAction: 'Next step',
  nextActionDate: 'Next step on',
  notes: 'Notes',
};

/** A field's name in the history or in a message of the API, in the words of this page. */
export function fieldWords(field: string): string {
  const words: Record<string, string> = FIELD_WORDS;
  return words[field] ?? capital(spaced(field));
}

/** A message of the API, which calls fields by their names there. */
export function said(message: string): string {
  const marked = message.replace(/`(\w+)`/gu, (_, field: string) => `“${fieldWords(field)}”`);
  const names = new RegExp(`\\b(${Object.keys(FIELD_WORDS).filter((name) => /[A-Z]/u.test(name)).join('|')})\\b`, 'gu');
  return marked.replace(names, (field) => `“${fieldWords(field)}”`);
}

/** `isCompleted` as `completed`, and `completedDate` as `completed date`. */
function spaced(name: string): string {
  const plain = name.replace(/^is[A-Z]/u, (start) => start.slice(2).toLowerCase());
  return plain.replace(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A field's value as the history has it, in the words of this page. */
export function inWords(field: string, value: string): string {
  const words: Record<string, string> =
    { status: STATUS_WORDS, companyCategory: CATEGORY_WORDS, jobSource: SOURCE_WORDS }[field] ?? {};
  if (words[value]) return words[value];
  if (field.startsWith('is') || field === 'coverLetterRequired') return value === 'true' ? 'yes' : 'no';
  if (field.startsWith('salary')) return money(Number(value));
  if (/^\d{4}-\d{2}-\d{2}T/u.test(value)) return moment(value);
  return /^\d{4}-\d{2}-\d{2}$/u.test(value) ? day(value) : value;
}

/** A value of an enum, if `text` is one. */
export function enumValue<T extends string>(values: Record<string, T>, text: string): T | null {
  return Object.values(values).find((value) => value === text) ?? null;
}

const DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DAY_OF_YEAR = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const WEEKDAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
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
