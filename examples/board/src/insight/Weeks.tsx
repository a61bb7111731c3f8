// How many applications were sent in each week.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { day, dayOfMonth, number } from 'trestle-web-kit/ui/dates';

import { graphql } from '../gql';
import type { WeeksFragment } from '../gql/graphql';
import { Panel } from './Panel';

const WeeksDocument = graphql(`
  fragment Weeks on ApplicationInsight {
    weeks(last: $last) {
      monday
      applied
    }
  }
`);

export function Weeks({ insight, last }: { insight: FragmentType<WeeksFragment>; last: number }) {
  const { data, complete } = useFragment({
    fragment: WeeksDocument,
    fragmentName: 'Weeks',
    from: insight,
    variables: { last },
  });
  if (!complete) return null;
  const title = 'Applications per week';
  if (!data.weeks) {
    return <Panel className="of-weeks" title={title} says="Not known: the server does not count them." />;
  }
  const { weeks } = data;
  const most = Math.max(1, ...weeks.map(({ applied }) => applied));
  const sum = weeks.reduce((total, { applied }) => total + applied, 0);
  return (
    <Panel
      className="of-weeks"
      title={title}
      says={sum === 0 ? `None sent in ${weeks.length} weeks` : `${number(sum)} sent in ${weeks.length} weeks`}
    >
      <ol className={weeks.length > 26 ? 'weeks long' : 'weeks'}>
        {weeks.map(({ monday, applied }, index) => {
          const current = index === weeks.length - 1;
          return (
            <li key={monday} className={current ? 'current' : undefined}>
              <span className="visually-hidden">
                {current ? 'This week, so far' : `Week of ${day(monday)}`}: {number(applied)}
              </span>
              <span className="column-bar" aria-hidden="true">
                <i style={{ height: `${(100 * applied) / most}%` }}>
                  {applied > 0 && <b>{number(applied)}</b>}
                </i>
              </span>
              <small aria-hidden="true">{current ? 'This week' : dayOfMonth(monday)}</small>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
