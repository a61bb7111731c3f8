// One run: its picture with the findings beside it, and its files.

import { useQuery } from '@apollo/client/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { number } from 'trestle-web-kit/ui/dates';

import type { Finding, GraphNode, RunRow } from '../api/data';
import { RunStatus } from '../gql/graphql';
import { Message } from '../ui/Message';
import { ENVIRONMENT_WORDS, nameOfRun, reason, STATUS_WORDS } from '../ui/words';
import { Downloads } from './Downloads';
import { Findings } from './Findings';
import { Legend } from './Legend';
import { NodeFacts } from './NodeFacts';
import { NodeSearch } from './NodeSearch';
import { Picture, type Marked } from './Picture';
import { type Drawing, drawingOf } from './drawing';
import { allFindings, allNodes, pathTo, pictureOf, type Remarks, remarksOf, RunPageDoc } from './read';
import { RemarkLists } from './RemarkLists';

/** What is read of a complete run. */
interface Content {
  readonly nodes: readonly GraphNode[];
  readonly findings: readonly Finding[] | null;
  /** Why there are none, or what the report has beside its findings. */
  readonly remarks: Remarks | string;
  /** Why there is no picture, or the picture. */
  readonly drawing: Drawing | string;
}

/** How often a run that is not complete is read again, in milliseconds. */
const LOOK_MS = 5000;

export function RunPage({ runId, node }: { runId: string; node: string | null }) {
  const { data, error, startPolling, stopPolling } = useQuery(RunPageDoc, { variables: { runId } });
  const run = data?.run;
  // Another server than the one that is followed may process it.
  const isOpen = run?.status === RunStatus.Processing || run?.status === RunStatus.Uploaded;
  useEffect(() => {
    if (isOpen) startPolling(LOOK_MS);
    return stopPolling;
  }, [isOpen, startPolling, stopPolling]);
  if (!run) {
    if (!error && !data) return <main aria-busy id="content" tabIndex={-1} />;
    return (
      <main className="failed" id="content" tabIndex={-1}>
        <p role="alert">{error ? reason(error) : 'There is no such run, or you may not see it.'}</p>
      </main>
    );
  }
  return (
    <main className="page wide" id="content" tabIndex={-1}>
      <Head run={run} />
      {run.status === RunStatus.Complete ? (
        <Complete run={run} first={node} />
      ) : (
        <section className="panel" role="status">
          <p>
            {STATUS_WORDS[run.status]}
            {run.isStuck && ', for longer than usual'}
          </p>
          {run.status === RunStatus.Processing && <progress aria-label="Being analyzed" />}
          {run.failureReason && (
            <p className="problem">
              <Message text={run.failureReason} />
            </p>
          )}
        </section>
      )}
    </main>
  );
}

function Head({ run }: { run: RunRow }) {
  const { runId, environment, summary, provenance } = run;
  const about = [provenance.iacCommitSha, provenance.terraformWorkspace, provenance.region].filter(Boolean).join(', ');
  return (
    <div className="bar">
      <div className="grow">
        <h1>{nameOfRun(run)}</h1>
        <p className="quiet">
          {ENVIRONMENT_WORDS[environment]}
          {about && `, ${about}`}
          {summary &&
            `: ${number(summary.nodeCount)} nodes, ${number(summary.edgeCount)} edges, ${number(summary.internetExposedCount)} exposed, ${number(summary.datastoreCount)} store data, ${number(summary.unresolvedCount)} undecided`}
        </p>
      </div>
      <Downloads runId={runId} isComplete={run.status === RunStatus.Complete} />
    </div>
  );
}

/** Where the lists are below the picture, as the style sheet has it. */
const BELOW = '(width < 900px)';

/** Goes back to what was pressed in the lists. */
function back(): void {
  const pressed = document.querySelector<HTMLElement>('.findings [aria-current="true"]');
  pressed?.scrollIntoView({ block: 'center' });
  pressed?.focus({ preventScroll: true });
}

/** The path that a finding's message names as `a → b`, if it is one of nodes of the graph. */
function pathIn(message: string, ids: ReadonlySet<string>): readonly string[] | null {
  const [start = '', ...rest] = message.split(' → ');
  const nodes = [start.split(' ').at(-1) ?? '', ...rest].map((each) => each.replace(/\.$/u, ''));
  return nodes.length > 1 && nodes.every((each) => ids.has(each)) ? nodes : null;
}

function useContent(runId: string): Content | string | null {
  const [content, setContent] = useState<Content | string | null>(null);
  useEffect(() => {
    let left = false;
    const drawing = pictureOf(runId).then(drawingOf).catch(reason);
    Promise.all([allNodes(runId), allFindings(runId), remarksOf(runId).catch(reason), drawing]).then(
      ([nodes, findings, remarks, drawn]) => {
        if (!left) setContent({ nodes, findings, remarks, drawing: drawn });
      },
      (error: unknown) => {
        if (!left) setContent(reason(error));
      },
    );
    return () => {
      left = true;
    };
  }, [runId]);
  return content;
}

function Complete({ run, first }: { run: RunRow; first: string | null }) {
  const { runId } = run;
  const content = useContent(runId);
  const [selected, setSelected] = useState<string | null>(first);
  const [module, setModule] = useState<string | null>(null);
  const [exposedOnly, setExposedOnly] = useState(false);
  const [path, setPath] = useState<readonly string[]>([]);
  /** The path that the selected finding is about, if it is about one. */
  const [about, setAbout] = useState<readonly string[] | null>(null);
  useEffect(() => setSelected(first), [first]);
  const [chosen, setChosen] = useState<Finding | null>(null);
  const side = useRef<HTMLElement>(null);
  /** Brings the picture into sight where the lists are below it. */
  const show = () => {
    if (window.matchMedia(BELOW).matches) side.current?.scrollIntoView({ block: 'start' });
  };
  const select = (nodeId: string | null) => {
    setSelected(nodeId);
    setAbout(null);
    setChosen(null);
  };
  const choose = (finding: Finding, ids: ReadonlySet<string>) => {
    setSelected(finding.nodeId);
    setAbout(pathIn(finding.message, ids));
    setChosen(finding);
    show();
  };

  // The way from the internet to what is selected, if there is one.
  useEffect(() => {
    let left = false;
    setPath(about ?? []);
    const [to = selected, ...rest] = about ?? [];
    if (to) {
      pathTo(runId, to).then(
        (nodes) => {
          if (!left && nodes.length > 0) setPath([...nodes, ...rest]);
        },
        () => {},
      );
    }
    return () => {
      left = true;
    };
  }, [runId, selected, about]);

  const isThere = content !== null && typeof content !== 'string';
  useEffect(() => {
    if (isThere && first) show();
  }, [isThere, first]);

  const marked = useMemo<Marked>(() => ({ selected, path, module, exposedOnly }), [selected, path, module, exposedOnly]);
  if (content === null) return <section className="panel" aria-busy />;
  if (typeof content === 'string') return <p role="alert" className="problem">{content}</p>;
  const { nodes, findings, remarks, drawing } = content;
  const node = nodes.find(({ nodeId }) => nodeId === selected);
  const ids = new Set(nodes.map(({ nodeId }) => nodeId));
  return (
    <div className="split">
      <section ref={side} className="picture-side" aria-label="Graph">
        {typeof drawing === 'string' ? (
          <p className="panel">{drawing}</p>
        ) : (
          <Picture drawing={drawing} nodes={nodes} marked={marked} onSelect={select} />
        )}
        {node && (
          <NodeFacts node={node} finding={chosen} path={path} onClose={() => select(null)} onBack={back} />
        )}
        <Legend nodes={nodes} module={module} onModule={setModule} exposedOnly={exposedOnly} onExposedOnly={setExposedOnly} />
      </section>
      <aside className="finding-side" aria-label="Findings and nodes">
        <Findings
          findings={findings}
          undecided={typeof remarks === 'string' ? 0 : remarks.undecided.length}
          selected={selected}
          chosen={chosen}
          onSelect={(finding) => choose(finding, ids)}
        />
        <RemarkLists
          remarks={remarks}
          selected={selected}
          onSelect={(nodeId) => {
            select(nodeId);
            show();
          }}
        />
        <NodeSearch
          nodes={nodes}
          selected={selected}
          onSelect={(nodeId) => {
            select(nodeId);
            show();
          }}
        />
      </aside>
    </div>
  );
}
