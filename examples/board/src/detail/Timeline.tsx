// The history, the newest change first: one line each, more of it when it is pressed, and the way back.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { useState } from 'react';
import { useWhole } from 'trestle-web-kit/api/whole';
import { ago, moment } from 'trestle-web-kit/ui/dates';

import { graphql } from '../gql';
import type { TimelineEntryFragment, TimelineFragment } from '../gql/graphql';
import { Icon } from '../ui/icons';
import { fieldWords, inWords } from '../ui/words';
import type { PageChanges } from './changes';

/** Most changes that one line has room for. */
const LINES = 2;

const TimelineDocument = graphql(`
  fragment Timeline on Application {
    id
    version
    salaryCurrency
    history(first: 20) {
      edges {
        node {
          id
          ...TimelineEntry
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const Entry = graphql(`
  fragment TimelineEntry on HistoryEntry {
    id
    sequence
    description
    createdAt
    changes {
      field
      interviewStageId
      before
      after
    }
  }
`);

export function Timeline({
  application,
  changes,
  onOlder,
}: {
  application: FragmentType<TimelineFragment>;
  changes: PageChanges;
  /** Loads the entries before the one with this cursor. */
  onOlder: (after: string | null) => void;
}) {
  const data = useWhole(
    useFragment({
      fragment: TimelineDocument,
      fragmentName: 'Timeline',
      from: application,
    }),
  );
  if (!data) return <section className="timeline" aria-label="History" aria-busy />;
  const { edges = [], pageInfo } = data.history ?? {};
  const entries = edges.flatMap(({ node }) => node ?? []);
  return (
    <section className="timeline" aria-labelledby="history-title">
      <h2 id="history-title">History</h2>
      <ol>
        {entries.map((entry) => (
          <TimelineItem key={entry.id} entry={entry} newest={data.version} currency={data.salaryCurrency} changes={changes} />
        ))}
      </ol>
      {pageInfo?.hasNextPage && (
        <button type="button" className="button" onClick={() => onOlder(pageInfo.endCursor)}>
          Show older changes
        </button>
      )}
    </section>
  );
}

function TimelineItem({
  entry,
  newest,
  currency,
  changes,
}: {
  entry: FragmentType<TimelineEntryFragment>;
  newest: number;
  /** What amounts are in. */
  currency: string | null;
  changes: PageChanges;
}) {
  const data = useWhole(
    useFragment({
      fragment: Entry,
      fragmentName: 'TimelineEntry',
      from: entry,
    }),
  );
  const [busy, setBusy] = useState(false);
  /** Whether everything about it is shown, and not one line. */
  const [whole, setWhole] = useState(false);
  if (!data) return null;
  // The first entry's changes are the whole application.
  const shown = data.sequence === 1 ? [] : (data.changes ?? []);
  // A stage's fields mean little without its name, which the description has.
  const own = shown.length > 0 && shown.length <= LINES && shown.every(({ interviewStageId }) => !interviewStageId);
  // A new status says most of all.
  const line = own ? shown : shown.filter(({ field, interviewStageId }) => field === 'status' && !interviewStageId);
  return (
    <li>
      <button type="button" className="what" aria-expanded={whole} onClick={() => setWhole(!whole)}>
        {line.length > 0 && !whole ? (
          <>
            {line.map((change) => (
              <span key={change.field}>
                {fieldWords(change.field)} <Values {...change} currency={currency} />
              </span>
            ))}
            {line.length < shown.length && <span className="quiet">and {shown.length - line.length} more</span>}
          </>
        ) : (
          <span>{data.description}</span>
        )}
      </button>
      <time dateTime={data.createdAt} title={moment(data.createdAt)}>
        {ago(data.createdAt)}
      </time>
      {data.sequence < newest && (
        <button
          type="button"
          className="bare writes"
          aria-disabled={busy}
          aria-label={`Restore version ${data.sequence}`}
          title={`Restore version ${data.sequence}`}
          onClick={() => {
            if (busy) return;
            setBusy(true);
            void changes.restore(data.sequence).then(() => setBusy(false));
          }}
        >
          <Icon name="restore" />
        </button>
      )}
      {whole && shown.length > 0 && (
        <dl className="diff">
          {shown.map((change) => (
            <div key={`${change.interviewStageId} ${change.field}`}>
              <dt>{fieldWords(change.field)}</dt>
              <dd>
                <Values {...change} currency={currency} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

function Values({
  field,
  before,
  after,
  currency,
}: {
  field: string;
  before: string | null;
  after: string | null;
  currency: string | null;
}) {
  return (
    <>
      {before !== null && <del>{inWords(field, before, currency)}</del>}{' '}
      {after !== null ? <ins>{inWords(field, after, currency)}</ins> : <span className="quiet">cleared</span>}
    </>
  );
}
