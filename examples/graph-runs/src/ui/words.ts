// How the values of the API are written for people.

import { CombinedGraphQLErrors } from '@apollo/client';
import { exactMoment } from 'trestle-web-kit/ui/dates';

import type { RunRow } from '../api/data';
import { Environment, FindingSeverity, RunStatus } from '../gql/graphql';

export const ENVIRONMENT_WORDS: Record<Environment, string> = { DEV: 'Development', PROD: 'Production' };

export const STATUS_WORDS: Record<RunStatus, string> = {
  UPLOADED: 'Waiting for its file',
  PROCESSING: 'Being analyzed',
  COMPLETE: 'Complete',
  FAILED: 'Failed',
};

export const SEVERITY_WORDS: Record<FindingSeverity, string> = { HIGH: 'High', MEDIUM: 'Medium', LOW: 'Low' };

/** What was analyzed: the folder, and the commit if it is known: `shop at 1a2b3c4`. */
export function subjectOfRun({ root, provenance }: Pick<RunRow, 'root' | 'provenance'>): string {
  const commit = provenance.iacCommitSha?.slice(0, 7);
  return commit ? `${root ?? 'Run'} at ${commit}` : (root ?? 'Run');
}

/** `shop at 1a2b3c4 of Nov 25, 2026, 9:12:03 AM`. */
export function nameOfRun(run: Pick<RunRow, 'root' | 'provenance' | 'createdAt'>): string {
  return `${subjectOfRun(run)} of ${exactMoment(run.createdAt)}`;
}

/** The names of runs that are listed together, by their ids: those that would be the same have a part of the id, too. */
export function namesOfRuns(runs: readonly RunRow[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const run of runs) counts.set(nameOfRun(run), (counts.get(nameOfRun(run)) ?? 0) + 1);
  return new Map(
    runs.map((run) => {
      const name = nameOfRun(run);
      return [run.runId, (counts.get(name) ?? 0) > 1 ? `${name} (${run.runId.slice(-6)})` : name];
    }),
  );
}

/** Why a request failed. */
export function reason(error: unknown): string {
  if (CombinedGraphQLErrors.is(error)) return said(error.errors[0]?.message ?? 'The server refuses it.');
  return error instanceof Error ? error.message : String(error);
}

/** A message of the API without its marks. */
export function said(message: string): string {
  return message.replaceAll('`', '');
}

/** The module of a node: `module.network` of `module.network.aws_vpc.main`; empty for the root module. */
export function moduleOf(nodeId: string): string {
  return /^(?:module\.[^.[]+(?:\[[^\]]*\])?\.?)+/u.exec(nodeId)?.[0].replace(/\.$/u, '') ?? '';
}
