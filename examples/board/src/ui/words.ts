// How enum values and fields are written for people. The records are complete by their
// types: a value that the schema gains is a failed compilation here.

import { day, moment } from 'trestle-web-kit/ui/dates';

import {
  ApplicationStatus,
  CompanyCategory,
  type CreateApplicationInput,
  JobSource,
} from '../gql/graphql';

import { money, PERIOD_WORDS } from './money';

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

/** The fields of an application that this page edits, by their names in the API. */
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
  salaryCurrency: 'Currency',
  salaryPeriod: 'Salary for',
  location: 'Location',
  isRemote: 'Remote',
  tags: 'Tags',
  specialRequirements: 'Requirements',
  nextAction: 'Next step',
  nextActionDate: 'Next step on',
  notes: 'Notes',
  postingText: 'Text of the posting',
  closingDate: 'Posting closes on',
};

/** Whether the job can be done remotely. */
export const REMOTE_WORDS = { true: 'Remote', false: 'On site' };

/** `Berlin, remote`. */
export function whereOf({ location, isRemote }: { readonly location: string | null; readonly isRemote: boolean | null }): string {
  // That a job in a place is there is what people take for granted.
  const remote = isRemote === true ? 'Remote' : isRemote === false && location === null ? 'On site' : null;
  if (location === null || remote === null) return location ?? remote ?? '';
  return location.toLowerCase().includes('remote') ? location : `${location}, ${remote.toLowerCase()}`;
}

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

/** A field's value as the history has it, in the words of this page. An amount is in the `currency` of its application. */
export function inWords(field: string, value: string, currency: string | null = null): string {
  const words: Record<string, string> = VALUE_WORDS[field] ?? {};
  if (words[value]) return words[value];
  if (field.startsWith('is') || field === 'coverLetterRequired') return value === 'true' ? 'yes' : 'no';
  if (field === 'durationMinutes') return `${value} min`;
  if (field === 'salaryMin' || field === 'salaryMax') return money(Number(value), currency);
  if (/^\d{4}-\d{2}-\d{2}T/u.test(value)) return moment(value);
  return /^\d{4}-\d{2}-\d{2}$/u.test(value) ? day(value) : value;
}

const VALUE_WORDS: Record<string, Record<string, string>> = {
  status: STATUS_WORDS,
  companyCategory: CATEGORY_WORDS,
  jobSource: SOURCE_WORDS,
  salaryPeriod: PERIOD_WORDS,
  isRemote: REMOTE_WORDS,
};

/** A value of an enum, if `text` is one. */
export function enumValue<T extends string>(values: Record<string, T>, text: string): T | null {
  return Object.values(values).find((value) => value === text) ?? null;
}
