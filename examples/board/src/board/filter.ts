// The filter as the address holds it, and as the API takes it.

import { type ApplicationFilter, CompanyCategory, JobSource } from '../gql/graphql';
import { enumValue } from '../ui/words';

/** The names under which the address holds the filter. */
export type FilterName = 'text' | 'category' | 'source' | 'skills' | 'archived';

/** What the board lists. */
export function filterFrom(params: URLSearchParams): ApplicationFilter {
  const known = <T extends string>(values: Record<string, T>, name: FilterName) =>
    params.getAll(name).flatMap((text) => enumValue(values, text) ?? []);
  const categories = known(CompanyCategory, 'category');
  const sources = known(JobSource, 'source');
  const skills = Number(params.get('skills'));
  const text = params.get('text')?.trim();
  return {
    ...(categories.length > 0 && { companyCategories: categories }),
    ...(sources.length > 0 && { jobSources: sources }),
    ...(skills >= 1 && skills <= 5 && { minSkillsMatch: skills }),
    ...(text && { text: text.slice(0, 200) }),
    ...(params.get('archived') === 'only' && { archived: 'ONLY' as const }),
  };
}

/** Whether the filter leaves out more than the archive does. */
export function isNarrow(filter: ApplicationFilter): boolean {
  return Boolean(
    filter.text ?? filter.companyCategories ?? filter.jobSources ?? filter.minSkillsMatch,
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
