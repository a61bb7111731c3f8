// What of a file is there already, and what its cells say: the server says it of each row, by the rules of `trestle import`.

import type { ApolloClient } from '@apollo/client';

import { graphql } from '../gql';
import type { ImportCellProblem, ImportOutcome } from '../gql/graphql';
import { PERIOD_WORDS } from '../ui/money';
import { fieldWords, said } from '../ui/words';
import type { Reading } from './reading';
import type { Row } from './rows';

/** Rows of a batch: as many as the API takes. */
export const BATCH = 100;
/** Batches that are on their way at the same time. */
export const AT_ONCE = 3;

const Look = graphql(`
  mutation LookUpRows($input: ImportApplicationsInput!) {
    importApplications(input: $input) {
      rows {
        outcome
        changedFields
        leftOut {
          field
          text
          problem
          message
        }
        userErrors {
          code
          message
        }
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export type Good = Extract<Row, { kind: 'good' }>;

/** What a row is. */
export interface Found {
  /** Empty for one that the server refuses. */
  readonly outcome: ImportOutcome | null;
  /** The fields of which it says something else. */
  readonly fields: readonly string[];
  /** What is wrong with cells that are left out. */
  readonly left: readonly string[];
  /** Why the server refuses it. */
  readonly problem: string;
}

/** Rows as the API takes them. */
export function inputOf(rows: readonly Good[], { columns, currency }: Reading) {
  return { columns: [...columns], ...(currency && { currency }), rows: rows.map(({ cells }) => ({ cells: [...cells] })) };
}

/** In words. */
export function wordsOf({ outcome, fields, problem }: Found): string {
  if (outcome === 'NEW') return 'New';
  if (outcome === 'UNCHANGED') return 'There already';
  return outcome === 'CHANGED' ? `There, with another ${fields.map(fieldWords).join(', ')}` : problem;
}

/** What a field takes. */
const TAKES: Record<string, string> = {
  status: 'is not a status.',
  companyCategory: 'is not a category.',
  jobSource: 'is not a source.',
  skillsMatch: 'is not a match of 1 to 5.',
  coverLetterRequired: 'is neither yes nor no.',
  isRemote: 'is neither remote nor on site.',
  salaryMin: 'is not a whole amount: kept in the notes.',
  salaryMax: 'is not a whole amount: kept in the notes.',
  salaryPeriod: `is none of ${Object.values(PERIOD_WORDS).join(', ')}.`,
};

/** A cell without which a row is imported. */
interface LeftOut {
  readonly field: string;
  readonly text: string;
  readonly problem: ImportCellProblem;
  readonly message: string;
}

/** What is wrong with a cell that is left out. */
function leftWords({ field, text, problem, message }: LeftOut, currency: string): string {
  const shown = `“${text}”`;
  switch (problem) {
    case 'TWO_READINGS':
      return `${shown} can be two days.`;
    case 'OTHER_CURRENCY':
      return `${shown} is not in ${currency}: kept in the notes.`;
    case 'BREAKS_RULE':
      return said(message);
    case 'NOT_UNDERSTOOD':
      return `${shown} ${TAKES[field] ?? 'is not a date: write 2026-11-20.'}`;
  }
}

/** What each of these rows is, by its line. */
export async function lookUp(
  client: ApolloClient,
  rows: readonly Good[],
  reading: Reading,
  isOver: () => boolean,
): Promise<Map<number, Found>> {
  const found = new Map<number, Found>();
  const inCurrency = reading.columns.findIndex(({ field }) => field === 'salaryCurrency');
  let from = 0;
  async function look() {
    while (from < rows.length && !isOver()) {
      const some = rows.slice(from, from + BATCH);
      from += BATCH;
      const { data } = await client.mutate({
        mutation: Look,
        variables: { input: { ...inputOf(some, reading), dryRun: true } },
        fetchPolicy: 'no-cache',
      });
      const { rows: results, userErrors = [] } = data?.importApplications ?? {};
      some.forEach((row, at) => {
        const result = results?.[at];
        const errors = result ? result.userErrors : userErrors;
        const currency = row.cells[inCurrency]?.toUpperCase() ?? '';
        found.set(row.line, {
          outcome: result?.outcome ?? null,
          fields: result?.changedFields ?? [],
          left: result?.leftOut.map((cell) => leftWords(cell, currency)) ?? [],
          problem: errors.map(({ message }) => said(message)).join(' ') || 'The server did not say why.',
        });
      });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return found;
}
