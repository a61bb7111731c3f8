// Whom to ask again: applications without an answer for so many days, and with nothing planned.

import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { lasting, number, today } from 'trestle-web-kit/ui/dates';

import { useLoaded } from '../api/loaded';
import { useHidden } from '../api/pending';
import { useReason } from '../api/reason';
import { graphql } from '../gql';
import { href } from '../route';
import { AsOf } from '../ui/AsOf';
import { NotLoaded } from '../ui/NotLoaded';
import { STATUS_WORDS } from '../ui/words';

/** How many are listed at first, and how many more each time. */
const PAGE = 20;
const DAYS = [7, 14, 21, 30, 60, 90];
const USUAL = 14;

const StaleDocument = graphql(`
  query Stale($days: Int!, $on: Date!, $first: Int!, $after: String) {
    stale(days: $days, on: $on, first: $first, after: $after) {
      edges {
        node {
          id
          companyName
          positionTitle
          status
          statusSince
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount
    }
  }
`);

export function Stale() {
  const [days, setDays] = useState(USUAL);
  const variables = { days, on: today(), first: PAGE };
  const { data, error, loading, fetchMore, refetch, observable } = useQuery(StaleDocument, {
    variables,
    fetchPolicy: 'cache-and-network',
    nextFetchPolicy: 'cache-first',
    notifyOnNetworkStatusChange: true,
  });
  const reason = useReason(error);
  const at = useLoaded(observable, StaleDocument, variables, data !== undefined);
  const list = data?.stale;
  const hidden = useHidden();
  const rows = (list?.edges ?? []).flatMap(({ node }) => (node && !hidden.has(node.id) ? [node] : []));
  return (
    <section className="stale" aria-labelledby="stale-title">
      <header>
        <h2 id="stale-title">No answer</h2>
        <label>
          <span>for</span>
          <select aria-label="No answer for" value={days} onChange={({ target }) => setDays(Number(target.value))}>
            {DAYS.map((each) => (
              <option key={each} value={each}>
                {each} days
              </option>
            ))}
          </select>
        </label>
        <span className="grow" />
        {list && <span className="quiet">{number(list.totalCount ?? rows.length)}</span>}
      </header>
      <AsOf at={at} missing={!data} />
      {reason !== null && !data && <NotLoaded what="This list" reason={reason} again={refetch} />}
      {list && rows.length === 0 && (
        <p className="quiet">No application has waited this long without a planned step.</p>
      )}
      <ul aria-busy={loading}>
        {rows.map(({ id, companyName, positionTitle, status, statusSince }) => (
          <li key={id}>
            <a href={href(`/applications/${id}`)}>
              <b dir="auto">{companyName}</b>
              <span dir="auto">{positionTitle}</span>
              <span className="quiet">
                <i className="dot" data-status={status} /> {STATUS_WORDS[status]}
                {statusSince && `, ${lasting(statusSince) ?? 'today'}`}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {list?.pageInfo.hasNextPage && (
        <button
          type="button"
          className="button"
          disabled={loading}
          onClick={() => fetchMore({ variables: { after: list.pageInfo.endCursor } }).catch(() => {})}
        >
          Show more
        </button>
      )}
    </section>
  );
}
