// The filter as the address holds it, and as the API takes it.

import { type ApplicationFilter, CompanyCategory, JobSource } from '../gql/graphql';
import { enumValue } from '../ui/words';

/** The names under which the address holds the filter. */
export type FilterName =
  | 'text'
  | 'category'
  | 'source'
  | 'skills'
  | 'archived'
  | 'sort'
  | 'salaryIn'
  | 'tag'
  | 'place'
  | 'remote'
  | RangeName;

/** The ends of ranges. */
export type RangeName = 'appliedFrom' | 'appliedTo' | 'nextFrom' | 'nextTo' | 'salaryFrom' | 'salaryTo';

/** What the filter's menu sets. */
export const IN_MENU: readonly FilterName[] = [
  'category',
  'source',
  'skills',
  'appliedFrom',
  'appliedTo',
  'nextFrom',
  'nextTo',
  'salaryFrom',
  'salaryTo',
  'salaryIn',
  'tag',
  'place',
  'remote',
];

/** The most tags that the API takes in a filter. */
const MOST_TAGS = 20;

/** How many filters the menu has set. */
export function countOf(params: URLSearchParams): number {
  return IN_MENU.flatMap((name) => params.getAll(name)).length;
}

/** What the board lists. */
export function filterFrom(params: URLSearchParams): ApplicationFilter {
  const known = <T extends string>(values: Record<string, T>, name: FilterName) =>
    params.getAll(name).flatMap((text) => enumValue(values, text) ?? []);
  const categories = known(CompanyCategory, 'category');
  const sources = known(JobSource, 'source');
  const skills = Number(params.get('skills'));
  const text = params.get('text')?.trim();
  const day = (name: RangeName) => /^\d{4}-\d{2}-\d{2}$/u.exec(params.get(name) ?? '')?.[0];
  const amount = (name: RangeName) => {
    const value = params.get(name);
    return value !== null && /^\d{1,16}$/u.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  };
  const dateApplied = range(day('appliedFrom'), day('appliedTo'));
  const nextActionDate = range(day('nextFrom'), day('nextTo'));
  const currency = /^[A-Z]{3}$/u.exec(params.get('salaryIn') ?? '')?.[0];
  const amounts = range(amount('salaryFrom'), amount('salaryTo'));
  const salary = currency ? { ...amounts, currency } : amounts;
  const tags = params.getAll('tag').slice(0, MOST_TAGS);
  const location = params.get('place')?.trim().slice(0, 200);
  const remote = params.get('remote');
  return {
    ...(categories.length > 0 && { companyCategories: categories }),
    ...(sources.length > 0 && { jobSources: sources }),
    ...(skills >= 1 && skills <= 5 && { minSkillsMatch: skills }),
    ...(text && { text: text.slice(0, 200) }),
    ...(dateApplied && { dateApplied }),
    ...(nextActionDate && { nextActionDate }),
    ...(salary && { salary }),
    ...(tags.length > 0 && { tags }),
    ...(location && { location }),
    ...((remote === 'yes' || remote === 'no') && { isRemote: remote === 'yes' }),
    ...(params.get('archived') === 'only' && { archived: 'ONLY' as const }),
  };
}

/** A range with the ends that are known. One that ends before it begins is none: the API would refuse it. */
function range<T extends string | number>(from: T | undefined, to: T | undefined): { from?: T; to?: T } | null {
  if (from === undefined && to === undefined) return null;
  if (from !== undefined && to !== undefined && from > to) return null;
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** Whether the filter leaves out more than the archive does. */
export function isNarrow(filter: ApplicationFilter): boolean {
  return Boolean(
    filter.text ??
      filter.companyCategories ??
      filter.jobSources ??
      filter.minSkillsMatch ??
      filter.dateApplied ??
      filter.nextActionDate ??
      filter.salary ??
      filter.tags ??
      filter.location ??
      filter.isRemote?.toString(),
  );
}

/** The same filter with one value set, added or taken away. */
export function changed(
  params: URLSearchParams,
  name: FilterName,
  values: readonly string[],
): URLSearchParams {
  const next = new URLSearchParams(params);
  next.delete(name);
  for (const value of values) {
    if (value) next.append(name, value);
  }
  return next;
}
