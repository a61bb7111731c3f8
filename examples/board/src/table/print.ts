// A list on paper, whole: all that fit the filter, also what is not loaded.

import type { ApolloClient } from '@apollo/client';
import { day, number, today } from 'trestle-web-kit/ui/dates';

import type { ApplicationFilter, ApplicationSort } from '../gql/graphql';
import { salary } from '../ui/money';
import { printTable } from '../ui/printTable';
import { CATEGORY_WORDS, STATUS_WORDS, whereOf } from '../ui/words';
import { type Exportable, list } from './file';

const COLUMNS: readonly (readonly [string, (row: Exportable) => string | null | false])[] = [
  ['Company', ({ companyName }) => companyName],
  ['Position', ({ positionTitle }) => positionTitle],
  ['Status', ({ status }) => STATUS_WORDS[status]],
  ['Applied', ({ dateApplied }) => dateApplied && day(dateApplied)],
  ['Next step', ({ nextAction, nextActionDate }) => [nextAction, nextActionDate && day(nextActionDate)].filter(Boolean).join(', ')],
  ['Answer by', ({ offerDueDate }) => offerDueDate && day(offerDueDate)],
  ['Category', ({ companyCategory }) => companyCategory && CATEGORY_WORDS[companyCategory]],
  ['Location', whereOf],
  ['Salary', salary],
  ['Tags', ({ tags }) => tags?.join(', ') ?? ''],
];

export async function printList(
  client: ApolloClient,
  what: { readonly filter: ApplicationFilter; readonly sortBy: ApplicationSort },
): Promise<void> {
  const rows = await list(client, what);
  const cells = rows.map((row) => COLUMNS.map(([, show]) => show(row) || ''));
  printTable(`${number(rows.length)} applications, ${day(today())}`, COLUMNS.map(([title]) => title), cells);
}
