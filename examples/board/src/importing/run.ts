// Sends the rows of an import in batches, and keeps a record of each. It goes on while its dialog is closed.

import type { ApolloClient } from '@apollo/client';
import { useSyncExternalStore } from 'react';
import { today } from 'trestle-web-kit/ui/dates';

import { graphql } from '../gql';
import type { ImportRowInput, UpdateApplicationInput } from '../gql/graphql';
import { said } from '../ui/words';
import { type Failure, type Progress, progress, report } from './progress';
import { AT_ONCE, BATCH, type Found, type Good, inputOf } from './there';

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

const Update = graphql(`
  mutation ImportChanges($input: UpdateApplicationsInput!) {
    updateApplications(input: $input) {
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

/** A row to send: a new one, or one that changes what is there. */
export interface Wanted {
  readonly row: Good;
  readonly found: Found;
}

type Results = readonly ({ readonly userErrors: readonly { readonly message: string }[] } | null)[];

/** What a cancelled import did not send. */
let rest: readonly Wanted[] = [];
let cancelled = false;

/** Starts an import of these rows. */
export async function startImport(client: ApolloClient, rows: readonly Wanted[]): Promise<void> {
  cancelled = false;
  const failed: Failure[] = [];
  const waiting = [rows.filter(isNew), rows.filter((row) => !isNew(row))].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH)),
  );
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

function isNew({ found }: Wanted): boolean {
  return found.application === null;
}

/** The rows of the batch that were refused. */
async function send(client: ApolloClient, batch: readonly Wanted[]): Promise<Failure[]> {
  const failure = ({ row }: Wanted, reason: string): Failure => ({
    line: row.line,
    name: `${row.input.companyName}, ${row.input.positionTitle}`,
    reason,
  });
  try {
    const { results, userErrors } = await (batch.every(isNew) ? create(client, batch) : update(client, batch));
    const all = userErrors.map(({ message }) => said(message)).join(' ');
    return batch.flatMap((wanted, at) => {
      const result = results[at];
      if (result?.userErrors.length === 0) return [];
      const problems = result?.userErrors.map(({ message }) => said(message)).join(' ');
      return [failure(wanted, problems || all || 'The server did not say why.')];
    });
  } catch (error) {
    const reason = error instanceof Error ? said(error.message) : String(error);
    return batch.map((wanted) => failure(wanted, reason));
  }
}

interface Answer {
  readonly results: Results;
  readonly userErrors: readonly { readonly message: string }[];
}

const NOTHING: Answer = { results: [], userErrors: [] };

async function create(client: ApolloClient, batch: readonly Wanted[]): Promise<Answer> {
  const rows: ImportRowInput[] = batch.map(({ row }) => inputOf(row));
  const { data } = await client.mutate({
    mutation: Create,
    // The day is the person's: the server would take its own.
    variables: { input: { rows, sentOn: today() } },
    // The board reads its pages anew at the end; the cache needs no thousand lonely applications.
    fetchPolicy: 'no-cache',
  });
  const { rows: results, userErrors } = data?.importApplications ?? {};
  return { results: results ?? [], userErrors: userErrors ?? [] };
}

/** Sets what the rows say and the applications do not, on the versions that the person was shown. */
async function update(client: ApolloClient, batch: readonly Wanted[]): Promise<Answer> {
  const applications = batch.map(({ row, found }): UpdateApplicationInput => {
    const changed = Object.entries(row.input).filter(([field]) => found.fields.includes(field));
    const { id = '', version } = found.application ?? {};
    return { ...Object.fromEntries(changed), id, ...(version !== undefined && { expectedVersion: version }) };
  });
  const { data } = await client.mutate({
    mutation: Update,
    variables: { input: { applications } },
    fetchPolicy: 'no-cache',
  });
  return data?.updateApplications ?? NOTHING;
}
