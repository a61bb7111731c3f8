// The list of runs, by environment, with two to compare; and the place to drop a folder on.

import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { ago, exactMoment, number } from 'trestle-web-kit/ui/dates';

import type { RunRow } from '../api/data';
import { graphql } from '../gql';
import { Environment, RunStatus } from '../gql/graphql';
import { go, hrefOfComparison, hrefOfRun } from '../route';
import { Icon } from '../ui/icons';
import { Message } from '../ui/Message';
import { ENVIRONMENT_WORDS, namesOfRuns, reason, STATUS_WORDS, subjectOfRun } from '../ui/words';
import { Upload } from '../upload/Upload';

const RunsQuery = graphql(`
  query Runs($filter: RunFilter, $after: String) {
    runs(first: 30, after: $after, filter: $filter) {
      edges {
        node {
          ...RunRow
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

const TABS: readonly (readonly [Environment | null, string, string])[] = [
  [null, 'All', '#/'],
  [Environment.Dev, ENVIRONMENT_WORDS.DEV, '#/dev'],
  [Environment.Prod, ENVIRONMENT_WORDS.PROD, '#/prod'],
];

export function Runs({ environment }: { environment: Environment | null }) {
  const filter = environment ? { environment } : null;
  const { data, error, fetchMore } = useQuery(RunsQuery, { variables: { filter } });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const runs = (data?.runs?.edges ?? []).flatMap(({ node }) => (node ? [node] : []));
  const next = data?.runs?.pageInfo.hasNextPage ? data.runs.pageInfo.endCursor : null;
  const names = namesOfRuns(runs);
  // The earlier run is the first of the two.
  const pair = runs.filter(({ runId }) => chosen.includes(runId)).toReversed();
  const [from, to] = pair;

  function choose(runId: string, on: boolean) {
    setChosen((before) => (on ? [...before, runId].slice(-2) : before.filter((each) => each !== runId)));
  }

  return (
    <main className="page" id="content" tabIndex={-1}>
      <h1>What the internet reaches</h1>
      <Upload environment={environment ?? Environment.Dev} />
      <div className="bar">
        <nav aria-label="Environments" className="tabs">
          {TABS.map(([each, words, href]) => (
            <a key={href} href={href} aria-current={each === environment ? 'page' : undefined}>
              {words}
            </a>
          ))}
        </nav>
        <button
          type="button"
          className="button"
          disabled={!from || !to}
          onClick={() => from && to && go(hrefOfComparison(from.runId, to.runId))}
        >
          <Icon name="compare" /> Compare two
        </button>
      </div>
      {error && !data && <p role="alert" className="problem">{reason(error)}</p>}
      {data && runs.length === 0 && <p className="quiet empty">No runs yet. Drop a folder with Terraform files above.</p>}
      <ul className="runs" aria-label="Runs">
        {runs.map((run) => (
          <Row key={run.runId} run={run} name={names.get(run.runId) ?? ''} chosen={chosen.includes(run.runId)} onChoose={(on) => choose(run.runId, on)} />
        ))}
      </ul>
      {next && (
        <button type="button" className="button" onClick={() => void fetchMore({ variables: { after: next } })}>
          More
        </button>
      )}
    </main>
  );
}

function Row({ run, name, chosen, onChoose }: { run: RunRow; name: string; chosen: boolean; onChoose: (on: boolean) => void }) {
  const { runId, createdAt, environment, status, summary, failureReason } = run;
  const isComplete = status === RunStatus.Complete;
  return (
    <li className="run" data-status={status}>
      <input
        type="checkbox"
        aria-label={`Compare ${name}`}
        checked={chosen}
        disabled={!isComplete}
        onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
      />
      <a href={hrefOfRun(runId)}>
        <span className="texts">
          <b>{subjectOfRun(run)}</b> <span className="chip">{ENVIRONMENT_WORDS[environment]}</span>{' '}
          <time className="quiet" dateTime={createdAt}>
            {ago(createdAt)}, {exactMoment(createdAt)}
          </time>
        </span>
        {summary ? (
          <span className="figures">
            <span>{number(summary.nodeCount)} nodes</span>
            <span data-look={summary.internetExposedCount > 0 ? 'exposed' : undefined}>
              {number(summary.internetExposedCount)} exposed
            </span>
            <span>{number(summary.datastoreCount)} store data</span>
            {summary.unresolvedCount > 0 && <span data-look="unresolved">{number(summary.unresolvedCount)} undecided</span>}
          </span>
        ) : (
          <span className="figures">
            {STATUS_WORDS[status]}
            {failureReason && (
              <>
                : <Message text={failureReason} />
              </>
            )}
          </span>
        )}
      </a>
    </li>
  );
}
