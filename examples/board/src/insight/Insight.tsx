// The search over time: one query, and a part of it for each picture.

import { useQuery } from '@apollo/client/react';

import { useReason } from '../api/reason';
import { graphql } from '../gql';
import { useTitle } from '../route';
import { Funnel } from './Funnel';
import { Stays } from './Stays';
import { Weeks } from './Weeks';
import '../styles/insight.css';

/** Two reads of a few counters for the server, however many applications there are. */
const InsightQuery = graphql(`
  query Insight {
    applicationStats {
      ...Funnel
    }
    applicationInsight {
      ...Weeks
      ...Stays
    }
  }
`);

export function Insight() {
  useTitle('Insight');
  const { data, error, loading, refetch } = useQuery(InsightQuery, {
    fetchPolicy: 'cache-and-network',
    // A picture that could not be read leaves the others.
    errorPolicy: 'all',
  });
  const reason = useReason(error);
  const { applicationStats: stats, applicationInsight: insight } = data ?? {};
  return (
    <main className="insight" id="content" tabIndex={0} aria-busy={loading}>
      <h1>Insight</h1>
      {reason !== null && (
        <p role="alert">
          Not everything could be read{reason}.{' '}
          <button type="button" className="link" onClick={() => void refetch()}>
            Try again
          </button>
        </p>
      )}
      <div className="panels">
        {insight && <Weeks insight={insight} />}
        {stats && <Funnel stats={stats} />}
        {insight && <Stays insight={insight} />}
      </div>
    </main>
  );
}
