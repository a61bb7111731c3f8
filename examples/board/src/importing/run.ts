// Sends the rows of an import in batches, and keeps a record of each. It goes on while its dialog is closed.

import type { ApolloClient } from '@apollo/client';
import { useSyncExternalStore } from 'react';

import { graphql } from '../gql';
import { said } from '../ui/words';
import type { Row } from './rows';
import { type Failure, type Progress, progress, report } from './progress';

/** Rows of a batch: as many as the API takes. */
const BATCH = 100;
/** Batches that are on their way at the same time. */
const AT_ONCE = 3;

const Create = graphql(`
  mutation ImportApplications($input: CreateApplicationsInput!) {
    createApplications(input: $input) {
      results {
        application {
          id
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

type Good = Extract<Row, { kind: 'good' }>;

/** What a cancelled import did not send. */
let rest: readonly Good[] = [];
let cancelled = false;

/** Starts an import of these rows. */
export async function startImport(client: ApolloClient, rows: readonly Good[]): Promise<void> {
  cancelled = false;
  const failed: Failure[] = [];
  const batches = Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, at) =>
    rows.slice(at * BATCH, (at + 1) * BATCH),
  );
  const waiting = [...batches];
  let done = 0;
  report({ now: 'running', done, total: rows.length });
  async function work() {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      failed.push(...(await send(client, batch)));
      done += batch.length;
      report({ now: 'running', done, total: rows.length });
      if (cancelled) return;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  rest = waiting.flat();
  failed.sort((one, other) => one.line - other.line);
  report({ now: 'ended', made: done - failed.length, failed, left: rest.length });
  await client.refetchQueries({ include: 'active' }).catch(() => {});
}

/** Sends no further batch. What was sent stays. */
export function cancelImport(): void {
  cancelled = true;
}

/** Sends what a cancelled import did not. */
export function continueImport(client: ApolloClient): void {
  void startImport(client, rest);
}

/** Forgets the result of an import. */
export function closeImport(): void {
  report(null);
}

export function useImport(): Progress | null {
  return useSyncExternalStore(progress.subscribe, progress.read);
}

/** The rows of the batch that were refused. */
async function send(client: ApolloClient, batch: readonly Good[]): Promise<Failure[]> {
  const failure = (row: Good, reason: string): Failure => ({
    line: row.line,
    name: `${row.input.companyName}, ${row.input.positionTitle}`,
    reason,
  });
  try {
    const { data } = await client.mutate({
      mutation: Create,
      variables: { input: { applications: batch.map(({ input }) => input) } },
      // The board reads its pages anew at the end; the cache needs no thousand lonely applications.
      fetchPolicy: 'no-cache',
    });
    const { results = [], userErrors = [] } = data?.createApplications ?? {};
    const all = userErrors.map(({ message }) => said(message)).join(' ');
    return batch.flatMap((row, at) => {
      const problems = results[at]?.userErrors.map(({ message }) => said(message)).join(' ');
      if (results[at]?.application) return [];
      return [failure(row, problems || all || 'The server did not say why.')];
    });
  } catch (error) {
    const reason = error instanceof Error ? said(error.message) : String(error);
    return batch.map((row) => failure(row, reason));
  }
}
