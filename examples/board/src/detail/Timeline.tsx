// The history, the newest change first: what changed from what to what, and the way back.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { useState } from 'react';

import { graphql } from '../gql';
import type { TimelineEntryFragment } from '../gql/graphql';
import { Icon } from '../ui/icons';
import { ago, moment } from '../ui/words';
import type { PageChanges } from './changes';
import { spaced } from './Facts';

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
  entries,
  newest,
  changes,
  more,
}: {
  entries: readonly ({ id: string } & FragmentType<TimelineEntryFragment>)[];
  /** The application's version. */
  newest: number;
  changes: PageChanges;
  /** Loads older entries, where there are any. */
  more: (() => void) | null;
}) {
  return (
    <section className="timeline" aria-labelledby="history-title">
      <h2 id="history-title">History</h2>
      <ol>
        {entries.map((entry) => (
          <TimelineItem key={entry.id} entry={entry} newest={newest} changes={changes} />
        ))}
      </ol>
      {more && (
        <button type="button" className="button" onClick={more}>
          Show older changes
        </button>
      )}
    </section>
  );
}

function TimelineItem({
  entry,
  newest,
  changes,
}: {
  entry: FragmentType<TimelineEntryFragment>;
  newest: number;
  changes: PageChanges;
}) {
  const { data, complete } = useFragment({
    fragment: Entry,
    fragmentName: 'TimelineEntry',
    from: entry,
  });
  const [busy, setBusy] = useState(false);
  if (!complete) return null;
  // The first entry's changes are the whole application.
  const shown = data.sequence === 1 ? [] : data.changes;
  return (
    <li>
      <p className="what">{data.description}</p>
      {shown.length > 0 && (
        <dl className="diff">
          {shown.map(({ field, interviewStageId, before, after }) => (
            <div key={`${interviewStageId} ${field}`}>
              <dt>{spaced(field)}</dt>
              <dd>
                {before !== null && <del>{before}</del>}
                {after !== null ? <ins>{after}</ins> : <span className="quiet">cleared</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p className="when">
        <time dateTime={data.createdAt} title={moment(data.createdAt)}>
          {ago(data.createdAt)}
        </time>
        {data.sequence < newest && (
          <button
            type="button"
            className="link"
            disabled={busy}
            aria-label={`Restore version ${data.sequence}`}
            onClick={() => {
              setBusy(true);
              void changes.restore(data.sequence).then(() => setBusy(false));
            }}
          >
            <Icon name="restore" /> Restore
          </button>
        )}
      </p>
    </li>
  );
}
