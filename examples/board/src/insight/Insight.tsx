// The search over time. The funnel is exact, from the same totals as the board's; weeks and times come
// from the newest applications by pages, and the page says how many those are.

import { useQuery } from '@apollo/client/react';

import { Totals } from '../board/Board';
import type { ApplicationStatus } from '../gql/graphql';
import { number, STATUS_WORDS } from '../ui/words';
import { useTimes, useWeeks, WEEKS } from './samples';

/** Who reached a step of the way, by where they are now. */
const STEPS: { readonly name: string; readonly statuses: readonly ApplicationStatus[] }[] = [
  {
    name: 'Applied',
    statuses: ['APPLIED', 'INTERVIEWING', 'GIVEN_OFFER', 'ACCEPTED_OFFER', 'DECLINED_OFFER', 'NO_OFFER', 'REJECTED'],
  },
  {
    name: 'Interviewed',
    statuses: ['INTERVIEWING', 'GIVEN_OFFER', 'ACCEPTED_OFFER', 'DECLINED_OFFER', 'NO_OFFER'],
  },
  { name: 'Offered', statuses: ['GIVEN_OFFER', 'ACCEPTED_OFFER', 'DECLINED_OFFER'] },
  { name: 'Accepted', statuses: ['ACCEPTED_OFFER'] },
];

export function Insight() {
  return (
    <main className="insight" tabIndex={0}>
      <h1>Insight</h1>
      <div className="panels">
        <Funnel />
        <Weeks />
        <Times />
      </div>
    </main>
  );
}

function Funnel() {
  const { data } = useQuery(Totals, { fetchPolicy: 'cache-and-network' });
  const rows = data?.applicationStats?.byStatus ?? [];
  const steps = STEPS.map(({ name, statuses }) => ({
    name,
    count: rows
      .filter(({ status }) => statuses.includes(status))
      .reduce((sum, { active, archived }) => sum + active + archived, 0),
  }));
  const all = steps[0]?.count ?? 0;
  return (
    <section className="panel" aria-labelledby="funnel">
      <h2 id="funnel">From applied to accepted</h2>
      <p className="quiet">All applications, archived ones too</p>
      <ol className="funnel">
        {steps.map(({ name, count }, step) => {
          const before = steps[step - 1]?.count;
          return (
            <li key={name}>
              <span className="name">{name}</span>
              <span className="bar" aria-hidden="true">
                <i data-step={step} style={{ width: `${all ? (100 * count) / all : 0}%` }} />
              </span>
              <span className="figure">
                <b>{number(count)}</b>
                {before !== undefined && (
                  <small>{before ? `${Math.round((100 * count) / before)}% of ${number(before)}` : 'none yet'}</small>
                )}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Weeks() {
  const { weeks, counted, complete, error } = useWeeks();
  const most = Math.max(1, ...weeks.map(({ count }) => count));
  const sum = weeks.reduce((total, { count }) => total + count, 0);
  return (
    <section className="panel" aria-labelledby="weeks">
      <h2 id="weeks">Applications per week</h2>
      <p className="quiet">
        {complete
          ? `${number(sum)} sent in ${WEEKS} weeks`
          : `From the ${number(counted)} applications that changed last`}
      </p>
      {error && <p role="alert">The applications could not be read.</p>}
      <ol className="weeks">
        {weeks.map(({ start, label, count }) => (
          <li key={start}>
            <span className="visually-hidden">
              Week of {label}: {count}
            </span>
            <b aria-hidden="true">{count > 0 ? count : ''}</b>
            <i aria-hidden="true" style={{ height: `${(100 * count) / most}%` }} />
            <small aria-hidden="true">{label}</small>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Times() {
  const { times, sampled, loading, error } = useTimes();
  const most = Math.max(1, ...times.map(({ median }) => median));
  return (
    <section className="panel" aria-labelledby="times">
      <h2 id="times">Time in each status</h2>
      <p className="quiet">
        {loading
          ? 'Reading histories'
          : `Median, from the histories of the ${number(sampled)} applications that changed last`}
      </p>
      {error && <p role="alert">The histories could not be read.</p>}
      {!loading && times.length === 0 && !error && <p>No application has changed its status yet.</p>}
      <ol className="times">
        {times.map(({ status, median, count }) => (
          <li key={status}>
            <span className="name">
              <i className="dot" data-status={status} /> {STATUS_WORDS[status]}
            </span>
            <span className="bar" aria-hidden="true">
              <i data-status={status} style={{ width: `${Math.max(1, (100 * median) / most)}%` }} />
            </span>
            <span className="figure">
              <b>{duration(median)}</b>
              <small>
                {number(count)} {count === 1 ? 'stay' : 'stays'}
              </small>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Hours as people say them. */
function duration(hours: number): string {
  if (hours < 1 / 60) return 'under 1 min';
  if (hours < 1) return `${Math.round(hours * 60)} min`;
  if (hours < 48) return `${Math.round(hours)} h`;
  return `${Math.round(hours / 24)} days`;
}
