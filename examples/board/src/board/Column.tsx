// One status: its total, and its cards by pages as the person scrolls. Only the cards in sight are in the
// document, and only those around them are read from the cache, so that ten thousand loaded ones cost
// little more than twenty.

import { useQuery } from '@apollo/client/react';
import { useDroppable } from '@dnd-kit/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';

import { around, windowOf } from '../api/paging';
import { graphql } from '../gql';
import type { ApplicationFilter, ApplicationStatus } from '../gql/graphql';
import { href } from '../route';
import { Icon } from '../ui/icons';
import { number, STATUS_WORDS } from '../ui/words';
import { CardItem } from './Card';

/** Cards of a page. */
const PAGE = 30;
/** How many cards before the end of what is loaded the next page is asked for. */
const AHEAD = 10;
/** A card's usual height with the gap below it, in pixels, until it is measured. */
const HEIGHT = 104;

const ColumnQuery = graphql(`
  query Column($filter: ApplicationFilter!, $first: Int!, $after: String) {
    applications(filter: $filter, first: $first, after: $after) {
      edges {
        node {
          id
          ...Card
          ...Placed
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export function Column({
  status,
  filter,
  total,
  filtered,
}: {
  status: ApplicationStatus;
  filter: ApplicationFilter;
  /** How many applications have the status; empty until it is known. */
  total: number | null;
  /** Whether fewer than these are listed. */
  filtered: boolean;
}) {
  const { setNodeRef, isOver } = useDroppable({ id: status });
  const listed = { ...filter, statuses: [status] };
  const inSight = windowOf(listed);
  const { data, loading, error, fetchMore, refetch } = useQuery(ColumnQuery, {
    variables: { filter: listed, first: PAGE },
    fetchPolicy: 'cache-and-network',
    nextFetchPolicy: 'cache-first',
    notifyOnNetworkStatusChange: true,
  });
  const edges = data?.applications?.edges ?? [];
  const { hasNextPage = false, endCursor = null } = data?.applications?.pageInfo ?? {};

  const list = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: edges.length,
    getScrollElement: () => list.current,
    estimateSize: () => HEIGHT,
    overscan: 4,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const { from, to } = around(shown[0]?.index ?? 0, last);
  useEffect(() => {
    const { from: at, to: until } = inSight();
    if (at !== from || until !== to) inSight({ from, to });
  }, [inSight, from, to]);
  const wanted = hasNextPage && !loading && !error && last >= edges.length - AHEAD;
  useEffect(() => {
    // A page that fails shows its error, and is asked for again by the person.
    if (wanted) fetchMore({ variables: { after: endCursor } }).catch(() => {});
  }, [wanted, endCursor, fetchMore]);

  const name = STATUS_WORDS[status];
  return (
    <section
      ref={setNodeRef}
      id={`column-${status}`}
      className={isOver ? 'column over' : 'column'}
      aria-label={name}
    >
      <header>
        <h2>
          <i className="dot" data-status={status} /> {name}
        </h2>
        <span className="total">
          {filtered ? `${number(edges.length)}${hasNextPage ? '+' : ''}` : total !== null && number(total)}
        </span>
        <a
          className="bare"
          href={href(`/add/${status}`)}
          aria-label={`Add an application to ${name}`}
        >
          <Icon name="add" />
        </a>
      </header>
      <div className="cards" ref={list} tabIndex={-1}>
        <ul style={{ height: rows.getTotalSize() }}>
          {shown.map((row) => {
            // Empty for a moment where one scrolls past what is read.
            const card = edges[row.index]?.node;
            return (
              card && (
                <li
                  key={card.id}
                  ref={rows.measureElement}
                  data-index={row.index}
                  style={{ transform: `translateY(${row.start}px)` }}
                >
                  <CardItem application={card} />
                </li>
              )
            );
          })}
        </ul>
        {edges.length === 0 && !loading && !error && (
          <p className="empty">{filtered ? 'Nothing fits the filter' : 'Nothing here yet'}</p>
        )}
        {loading && edges.length === 0 && <Skeleton />}
        {loading && edges.length > 0 && hasNextPage && <p className="empty">Loading more</p>}
        {error && (
          <p className="empty" role="alert">
            This list could not be loaded.{' '}
            <button type="button" className="link" onClick={() => void refetch()}>
              Try again
            </button>
          </p>
        )}
      </div>
    </section>
  );
}

function Skeleton() {
  return (
    <div aria-hidden="true">
      <div className="skeleton" />
      <div className="skeleton" />
      <div className="skeleton" />
    </div>
  );
}
