// What of a file is there already: the server says it of each row, by the rules of `trestle import`.

import type { ApolloClient } from '@apollo/client';

import { graphql } from '../gql';
import type { ImportOutcome, ImportRowInput } from '../gql/graphql';
import { fieldWords, said } from '../ui/words';
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
        application {
          id
          version
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
  /** The application that it is. */
  readonly application: { readonly id: string; readonly version: number } | null;
  /** The fields of which it says something else. */
  readonly fields: readonly string[];
  /** Why the server refuses it. */
  readonly problem: string;
}

/** A row as the API takes it. */
export function inputOf({ input, content, former }: Good): ImportRowInput {
  return { application: input, content, otherIds: [former] };
}

/** In words. */
export function wordsOf({ outcome, fields, problem }: Found): string {
  if (outcome === 'NEW') return 'New';
  if (outcome === 'UNCHANGED') return 'There already';
  return outcome === 'CHANGED' ? `There, with another ${fields.map(fieldWords).join(', ')}` : problem;
}

/** What each of these rows is, by its line. */
export async function lookUp(client: ApolloClient, rows: readonly Good[], isOver: () => boolean): Promise<Map<number, Found>> {
  const found = new Map<number, Found>();
  let from = 0;
  async function look() {
    while (from < rows.length && !isOver()) {
      const some = rows.slice(from, from + BATCH);
      from += BATCH;
      const { data } = await client.mutate({
        mutation: Look,
        variables: { input: { rows: some.map(inputOf), dryRun: true } },
        fetchPolicy: 'no-cache',
      });
      const { rows: results, userErrors = [] } = data?.importApplications ?? {};
      some.forEach((row, at) => {
        const result = results?.[at];
        const errors = result ? result.userErrors : userErrors;
        found.set(row.line, {
          outcome: result?.outcome ?? null,
          application: result?.application ?? null,
          fields: result?.changedFields ?? [],
          problem: errors.map(({ message }) => said(message)).join(' ') || 'The server did not say why.',
        });
      });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return found;
}
