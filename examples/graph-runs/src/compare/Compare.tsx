// What differs between two runs: findings first, then nodes and edges.

import { useQuery } from '@apollo/client/react';
import { number } from 'trestle-web-kit/ui/dates';

import type { RunRow } from '../api/data';
import { graphql } from '../gql';
import { FindingChangeKind, GraphChangeKind } from '../gql/graphql';
import { hrefOfNode, hrefOfRun } from '../route';
import { Message } from '../ui/Message';
import { ENVIRONMENT_WORDS, namesOfRuns, reason, SEVERITY_WORDS } from '../ui/words';

const DifferenceDoc = graphql(`
  query Difference($from: String!, $to: String!) {
    from: run(runId: $from) {
      ...RunRow
    }
    to: run(runId: $to) {
      ...RunRow
    }
    runDifference(fromRunId: $from, toRunId: $to) {
      added {
        nodes
        edges
      }
      removed {
        nodes
        edges
      }
      changed {
        nodes
        edges
      }
      findings(first: 100) {
        totalCount
        edges {
          node {
            kind
            finding {
              ...FindingPart
            }
          }
        }
      }
      changes(first: 100) {
        totalCount
        edges {
          node {
            kind
            nodeId
            edge {
              from
              to
              kind
            }
          }
        }
      }
    }
  }
`);

const KINDS: Record<GraphChangeKind, string> = { ADDED: 'Added', CHANGED: 'Changed', REMOVED: 'Removed' };
const FINDING_KINDS: Record<FindingChangeKind, string> = { ADDED: 'New', REMOVED: 'Gone' };

export function Compare({ from, to }: { from: string; to: string }) {
  const { data, error } = useQuery(DifferenceDoc, { variables: { from, to } });
  const difference = data?.runDifference;
  if (!difference) {
    if (!error && !data) return <main aria-busy id="content" tabIndex={-1} />;
    return (
      <main className="failed" id="content" tabIndex={-1}>
        <p role="alert">{error ? reason(error) : 'One of the runs does not exist, or you may not see it.'}</p>
      </main>
    );
  }
  const { added, removed, changed, findings, changes } = difference;
  const names = namesOfRuns([data.from, data.to].filter((run) => run != null));
  const rows = [
    ['Added', added],
    ['Removed', removed],
    ['Changed', changed],
  ] as const;
  /** Where a part is shown: in the run that has it. */
  const runOf = (kind: string) => (kind === 'REMOVED' ? from : to);
  const listed = (findings?.edges ?? []).flatMap(({ node }) => (node ? [node] : []));
  const parts = (changes?.edges ?? []).map(({ node }) => node);
  return (
    <main className="page" id="content" tabIndex={-1}>
      <h1>Two runs compared</h1>
      <dl className="compared">
        <Compared title="From" run={data.from} names={names} />
        <Compared title="To" run={data.to} names={names} />
      </dl>
      <table className="counts">
        <thead>
          <tr>
            <td />
            <th scope="col">Nodes</th>
            <th scope="col">Edges</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([words, counts]) => (
            <tr key={words}>
              <th scope="row">{words}</th>
              <td>{number(counts.nodes)}</td>
              <td>{number(counts.edges)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <section className="panel" aria-labelledby="finding-changes">
        <h2 id="finding-changes">Findings that differ</h2>
        {!findings && <p>One of the runs has no report.</p>}
        {findings?.totalCount === 0 && <p>None.</p>}
        <ul className="differences">
          {listed.map(({ kind, finding }, at) => (
            <li key={`${finding.nodeId} ${finding.rule} ${at}`}>
              <a href={hrefOfNode(runOf(kind), finding.nodeId)} data-kind={kind}>
                <b>{FINDING_KINDS[kind]}</b>{' '}
                {finding.severity && <span className="chip">{SEVERITY_WORDS[finding.severity]}</span>} <Message text={finding.message} />{' '}
                <span className="quiet place">{finding.nodeId}</span>
              </a>
            </li>
          ))}
        </ul>
        <More total={findings?.totalCount ?? 0} shown={listed.length} />
      </section>
      <section className="panel" aria-labelledby="graph-changes">
        <h2 id="graph-changes">Nodes and edges that differ</h2>
        {parts.length === 0 && <p>None.</p>}
        <ul className="differences">
          {parts.map(({ kind, nodeId, edge }, at) => (
            <li key={`${nodeId ?? `${edge?.from} ${edge?.to}`} ${at}`}>
              {nodeId ? (
                <a href={hrefOfNode(runOf(kind), nodeId)} data-kind={kind}>
                  <b>{KINDS[kind]}</b> <span className="place">{nodeId}</span>
                </a>
              ) : (
                <span data-kind={kind}>
                  <b>{KINDS[kind]}</b>{' '}
                  <span className="place">
                    {edge?.from} → {edge?.to} <span className="quiet">{edge?.kind}</span>
                  </span>
                </span>
              )}
            </li>
          ))}
        </ul>
        <More total={changes?.totalCount ?? 0} shown={parts.length} />
      </section>
    </main>
  );
}

/** One of the two, by its name and what tells it from others. */
function Compared({ title, run, names }: { title: string; run: RunRow | null | undefined; names: ReadonlyMap<string, string> }) {
  if (!run) return null;
  const { runId, environment, provenance } = run;
  const about = [ENVIRONMENT_WORDS[environment], provenance.iacCommitSha, provenance.terraformWorkspace].filter(Boolean).join(', ');
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <a href={hrefOfRun(runId)}>{names.get(runId)}</a> <span className="quiet">{about}</span>
      </dd>
    </div>
  );
}

function More({ total, shown }: { total: number; shown: number }) {
  return total > shown ? <p className="quiet">and {number(total - shown)} more, which the API lists</p> : null;
}
