// How long applications stay in each status before they leave it.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { number } from 'trestle-web-kit/ui/dates';

import { STATUSES } from '../api/lists';
import { graphql } from '../gql';
import type { StaysFragment } from '../gql/graphql';
import { STATUS_WORDS } from '../ui/words';
import { Panel } from './Panel';

const StaysDocument = graphql(`
  fragment Stays on ApplicationInsight {
    stays {
      status
      count
      medianDays
      buckets {
        lessThanDays
        count
      }
    }
  }
`);

type StatusStays = StaysFragment['stays'][number];

export function Stays({ insight }: { insight: FragmentType<StaysFragment> }) {
  const { data, complete } = useFragment({
    fragment: StaysDocument,
    fragmentName: 'Stays',
    from: insight,
  });
  if (!complete) return null;
  const stays = STATUSES.flatMap((status) => data.stays.find((one) => one.status === status) ?? []);
  const [first] = stays;
  return (
    <Panel
      className="of-stays"
      title="Time in each status"
      says={first ? 'How many applications left it after so many days' : 'No application has left a status yet.'}
    >
      {first && (
        <>
          <ol className="stays">
            {stays.map((one) => (
              <Status key={one.status} stays={one} />
            ))}
          </ol>
          <ol className="stays-axis" aria-hidden="true">
            {spans(first).map(({ short }) => (
              <li key={short}>{short}</li>
            ))}
          </ol>
        </>
      )}
    </Panel>
  );
}

function Status({ stays }: { stays: StatusStays }) {
  const most = Math.max(1, ...stays.buckets.map(({ count }) => count));
  const middle = bucketOfMedian(stays);
  return (
    <li>
      <span className="name">
        <i className="dot" data-status={stays.status} /> {STATUS_WORDS[stays.status]}
      </span>
      <span className="figure">
        <b>{medianInWords(stays)}</b>
        <small>
          median of {number(stays.count)}
          <span className="visually-hidden"> {stays.count === 1 ? 'stay' : 'stays'}</span>
        </small>
      </span>
      <ol className="buckets">
        {spans(stays).map(({ count, words }, index) => (
          <li key={words}>
            <span className="visually-hidden">
              {words}: {number(count)}
            </span>
            <span className="column-bar" aria-hidden="true">
              <i
                data-status={stays.status}
                className={index === middle ? 'middle' : undefined}
                style={{ height: `${(100 * count) / most}%` }}
              >
                {count > 0 && <b>{number(count)}</b>}
              </i>
            </span>
          </li>
        ))}
      </ol>
    </li>
  );
}

/** Each bucket with the days that it spans, as an axis has them and in words. */
function spans({ buckets }: StatusStays) {
  return buckets.map(({ lessThanDays: to, count }, index) => {
    const from = buckets[index - 1]?.lessThanDays ?? null;
    if (from === null) return { count, short: `<${to}`, words: `less than ${days(to ?? 0)}` };
    if (to === null) return { count, short: `${from}+`, words: `${days(from)} or more` };
    return { count, short: `${from}–${to}`, words: `${from} to ${days(to)}` };
  });
}

function bucketOfMedian({ buckets, count }: StatusStays): number {
  let seen = 0;
  return buckets.findIndex((bucket) => (seen += bucket.count) * 2 >= count && count > 0);
}

/** The API estimates a median from the buckets; in the last one, which has no bound, it has none. */
function medianInWords({ medianDays, buckets }: StatusStays): string {
  if (medianDays === null) {
    const bound = Math.max(...buckets.map(({ lessThanDays }) => lessThanDays ?? 0));
    return `over ${days(bound)}`;
  }
  if (medianDays < 1) return `${Math.max(1, Math.round(medianDays * 24))} h`;
  return days(medianDays < 10 ? Math.round(medianDays * 10) / 10 : Math.round(medianDays));
}

function days(count: number): string {
  return `${number(count)} ${count === 1 ? 'day' : 'days'}`;
}
