// The search over time: one query, and a part of it for each picture.

import { useQuery } from '@apollo/client/react';

import { useState } from 'react';
import { useNarrow } from 'trestle-web-kit/ui/narrow';

import { useReason } from '../api/reason';
import { graphql } from '../gql';
import { useTitle } from '../route';
import { Funnel } from './Funnel';
import { Stays } from './Stays';
import { Weeks } from './Weeks';
import '../styles/insight.css';

/** Two reads of a few counters for the server, however many applications there are. */
const InsightQuery = graphql(`
  query Insight($last: Int!) {
    applicationStats {
      ...Funnel
    }
    applicationInsight {
      ...Weeks
      ...Stays
    }
  }
`);

/** How many weeks back the page looks; the API goes back two years. */
const RANGES = [13, 26, 52, 104];

export function Insight() {
  const narrow = useNarrow();
  const [chosen, setChosen] = useState<number | null>(null);
  // A phone has room for fewer.
  const last = chosen ?? (narrow ? 13 : 26);
  useTitle('Insight');
  const { data, error, loading, refetch } = useQuery(InsightQuery, {
    variables: { last },
    fetchPolicy: 'cache-and-network',
    // A picture that could not be read leaves the others.
    errorPolicy: 'all',
  });
  const reason = useReason(error);
  const { applicationStats: stats, applicationInsight: insight } = data ?? {};
  return (
    <main className="insight" id="content" tabIndex={0} aria-busy={loading}>
      <header>
        <h1>Insight</h1>
        <label>
          <span className="quiet">Weeks</span>
          <select value={last} onChange={({ target }) => setChosen(Number(target.value))}>
            {RANGES.map((weeks) => (
              <option key={weeks}>{weeks}</option>
            ))}
          </select>
        </label>
      </header>
      {reason !== null && (
        <p role="alert">
          Not everything could be read{reason}.{' '}
          <button type="button" className="link" onClick={() => void refetch()}>
            Try again
          </button>
        </p>
      )}
      <div className="panels">
        {insight && <Weeks insight={insight} last={last} />}
        {stats && <Funnel stats={stats} />}
        {insight && <Stays insight={insight} />}
      </div>
    </main>
  );
}
