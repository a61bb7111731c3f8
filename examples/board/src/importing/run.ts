// Sends the rows of an import, a few at a time, and keeps account of what became of each.

import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';

import { graphql } from '../gql';
import { said } from '../ui/words';
import type { Row } from './rows';

/** Rows that are on their way at the same time. */
const AT_ONCE = 6;

const Create = graphql(`
  mutation ImportApplication($input: CreateApplicationInput!) {
    createApplication(input: $input) {
      application {
        id
      }
      userErrors {
        code
        message
      }
    }
  }
`);

/** What an import did. */
export interface Report {
  readonly made: number;
  readonly failed: readonly { readonly line: number; readonly name: string; readonly reason: string }[];
}

type Good = Extract<Row, { kind: 'good' }>;

/** An import that has not run, runs, or has run. */
export function useImport() {
  const client = useApolloClient();
  /** How many rows are through, while it runs. */
  const [done, setDone] = useState<number | null>(null);
  const [report, setReport] = useState<Report | null>(null);

  /** Why the row was refused; nothing where it was taken. */
  async function send({ input }: Good): Promise<string | null> {
    try {
      const { data } = await client.mutate({
        mutation: Create,
        variables: { input },
        // The board reads its pages anew at the end; the cache needs no thousand lonely applications.
        fetchPolicy: 'no-cache',
      });
      const problems = data?.createApplication?.userErrors ?? [];
      return problems.map(({ message }) => said(message)).join(' ') || null;
    } catch (error) {
      return error instanceof Error ? said(error.message) : String(error);
    }
  }

  async function run(rows: readonly Good[]): Promise<void> {
    const failed: Report['failed'][number][] = [];
    const waiting = rows.values();
    let through = 0;
    setDone(0);
    async function work() {
      for (const row of waiting) {
        const reason = await send(row);
        const { companyName, positionTitle } = row.input;
        if (reason) failed.push({ line: row.line, name: `${companyName}, ${positionTitle}`, reason });
        through += 1;
        setDone(through);
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    failed.sort((one, other) => one.line - other.line);
    await client.refetchQueries({ include: 'active' }).catch(() => {});
    setDone(null);
    setReport({ made: rows.length - failed.length, failed });
  }

  return { run, done, report };
}
