// How far the applications came: by what happened to them, and not by where they are now alone.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { number } from 'trestle-web-kit/ui/dates';

import { graphql } from '../gql';
import type { ApplicationStatus, FunnelFragment } from '../gql/graphql';
import { Panel } from './Panel';

const FunnelDocument = graphql(`
  fragment Funnel on ApplicationStats {
    byStatus {
      status
      active
      archived
      reached
    }
  }
`);

/**
 * The steps of the way. `statuses` are those that only an application has that reached the step; one that ever had `through`
 * has reached it as well, whatever it is now.
 */
const STEPS: {
  readonly name: string;
  readonly statuses: readonly ApplicationStatus[];
  readonly through?: ApplicationStatus;
}[] = [
  {
    name: 'Applied',
    statuses: ['APPLIED', 'INTERVIEWING', 'GIVEN_OFFER', 'ACCEPTED_OFFER', 'DECLINED_OFFER', 'NO_OFFER', 'REJECTED'],
  },
  {
    name: 'Interviewed',
    statuses: ['INTERVIEWING', 'GIVEN_OFFER', 'ACCEPTED_OFFER', 'DECLINED_OFFER', 'NO_OFFER'],
    through: 'INTERVIEWING',
  },
  { name: 'Offered', statuses: ['GIVEN_OFFER', 'ACCEPTED_OFFER', 'DECLINED_OFFER'], through: 'GIVEN_OFFER' },
  { name: 'Accepted', statuses: ['ACCEPTED_OFFER'] },
];

export function Funnel({ stats }: { stats: FragmentType<FunnelFragment> }) {
  const { data, complete } = useFragment({
    fragment: FunnelDocument,
    fragmentName: 'Funnel',
    from: stats,
  });
  if (!complete) return null;
  const title = 'From applied to accepted';
  const rows = data.byStatus;
  if (!rows) {
    return (
      <Panel className="of-funnel" title={title} says="Not known: another program writes the table and does not count." />
    );
  }
  const now = (statuses: readonly ApplicationStatus[]) =>
    rows
      .filter(({ status }) => statuses.includes(status))
      .reduce((sum, { active, archived }) => sum + active + archived, 0);
  let most = Infinity;
  const steps = STEPS.map(({ name, statuses, through }) => {
    const ever = rows.find(({ status }) => status === through)?.reached ?? 0;
    most = Math.min(most, Math.max(now(statuses), ever));
    return { name, count: most };
  });
  const all = steps[0]?.count ?? 0;
  return (
    <Panel
      className="of-funnel"
      title={title}
      says={all === 0 ? 'No application was sent yet.' : 'By their history, archived ones too'}
    >
      {all > 0 && (
        <ol className="funnel">
          {steps.map(({ name, count }, step) => {
            const before = steps[step - 1];
            return (
              <li key={name}>
                <span className="name">{name}</span>
                <span className="bar" aria-hidden="true">
                  <i data-step={step} style={{ width: `${(100 * count) / all}%` }} />
                </span>
                <span className="figure">
                  <b>{number(count)}</b>
                  {before && before.count > 0 && (
                    <small>
                      {Math.round((100 * count) / before.count)}% of {before.name.toLowerCase()}
                    </small>
                  )}
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </Panel>
  );
}
