// Sends the rows of an import in batches, and keeps a record of each. It goes on while its dialog is closed.

import type { ApolloClient } from '@apollo/client';
import { today } from 'trestle-web-kit/ui/dates';

import { graphql } from '../gql';
import { said } from '../ui/words';
import { type Failure, report } from './progress';
import type { Reading } from './reading';
import { AT_ONCE, BATCH, type Good, inputOf } from './there';

const Create = graphql(`
  mutation ImportApplications($input: ImportApplicationsInput!) {
    importApplications(input: $input) {
      rows {
        outcome
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

/** The rows to send, and how. */
export interface Wanted {
  readonly rows: readonly Good[];
  readonly reading: Reading;
  /** Whether what is there and differs is changed as well. */
  readonly changing: boolean;
}

/** What a cancelled import did not send. */
let rest: Wanted | null = null;
let cancelled = false;

/** Starts an import of these rows. */
export async function startImport(client: ApolloClient, wanted: Wanted): Promise<void> {
  const { rows } = wanted;
  cancelled = false;
  const failed: Failure[] = [];
  const waiting = Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, at) => rows.slice(at * BATCH, (at + 1) * BATCH));
  let done = 0;
  report({ now: 'running', done, total: rows.length });
  async function work() {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      failed.push(...(await send(client, { ...wanted, rows: batch })));
      done += batch.length;
      report({ now: 'running', done, total: rows.length });
      if (cancelled) return;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const left = waiting.flat();
  rest = { ...wanted, rows: left };
  failed.sort((one, other) => one.line - other.line);
  report({ now: 'ended', made: done - failed.length, failed, left: left.length });
  await client.refetchQueries({ include: 'active' }).catch(() => {});
}

/** Sends no further batch. What was sent stays. */
export function cancelImport(): void {
  cancelled = true;
}

/** Sends what a cancelled import did not. */
export function continueImport(client: ApolloClient): void {
  if (rest) void startImport(client, rest);
}

/** Forgets the result of an import. */
export function closeImport(): void {
  report(null);
}

/** The rows of the batch that were refused. */
async function send(client: ApolloClient, { rows, reading, changing }: Wanted): Promise<Failure[]> {
  const failure = ({ line, name }: Good, reason: string): Failure => ({ line, name, reason });
  try {
    const { data } = await client.mutate({
      mutation: Create,
      // The day is the person's: the server would take its own. What differs was shown, and the person wants it.
      variables: { input: { ...inputOf(rows, reading), sentOn: today(), overwrite: changing } },
      // The board reads its pages anew at the end; the cache needs no thousand lonely applications.
      fetchPolicy: 'no-cache',
    });
    const { rows: results, userErrors = [] } = data?.importApplications ?? {};
    const all = userErrors.map(({ message }) => said(message)).join(' ');
    return rows.flatMap((row, at) => {
      const result = results?.[at];
      if (result?.userErrors.length === 0) return [];
      const problems = result?.userErrors.map(({ message }) => said(message)).join(' ');
      return [failure(row, problems || all || 'The server did not say why.')];
    });
  } catch (error) {
    const reason = error instanceof Error ? said(error.message) : String(error);
    return rows.map((row) => failure(row, reason));
  }
}
