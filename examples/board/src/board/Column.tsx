// One status: its total, and its cards by pages as the person scrolls, after those for which something is due. Only the cards in sight are in the document, and only
// those around them are in the cache, so that ten thousand cost little more than twenty.

import { useQuery } from '@apollo/client/react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { number } from 'trestle-web-kit/ui/dates';

import { idAt, windowed } from '../api/paging';
import { useReason } from '../api/reason';
import { againBy, useWindow } from '../api/window';
import { graphql } from '../gql';
import type { ApplicationFilter, ApplicationStatus, ColumnQuery } from '../gql/graphql';
import { href } from '../route';
import { useAway } from '../ui/away';
import { Icon } from '../ui/icons';
import { NotLoaded } from '../ui/NotLoaded';
import { STATUS_WORDS } from '../ui/words';
import { CardItem } from './Card';

/** Cards of a page. */
const PAGE = 30;
/** How many cards before the end of what is loaded the next page is requested. */
const AHEAD = 10;
/** A card's usual height with the gap below it, in pixels, until it is measured. */
const HEIGHT = 104;
const NONE: readonly never[] = [];

const ColumnDocument = graphql(`
  query Column($filter: ApplicationFilter!, $first: Int!, $after: String, $counted: Boolean!) {
    applications(filter: $filter, first: $first, after: $after) {
      edges {
        node {
          id
          companyName
          positionTitle
          ...Card
          ...Placed
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $counted)
    }
  }
`);

/** The cards that were evicted while they were far from sight. */
const CardsAgain = graphql(`
  query CardsAgain($ids: [ID!]!) {
    nodes(ids: $ids) {
      id
      ... on Application {
        version
        ...Card
        ...Placed
      }
    }
  }
`);

const again = againBy(CardsAgain);

/** What a column found, for the whole board to add up. */
export interface Hits {
  readonly count: number;
  /** Whether there are more than these. */
  readonly more: boolean;
  /** The name of the first one. */
  readonly first: string | null;
}

export function Column({
  status,
  filter,
  total,
  filtered,
  due,
  onHits,
  isOver,
}: {
  status: ApplicationStatus;
  filter: ApplicationFilter;
  /** How many applications have the status; empty until it is known. */
  total: number | null;
  /** Whether fewer than these are listed. */
  filtered: boolean;
  /** The ids of those that come first. */
  due: readonly string[];
  onHits: (status: ApplicationStatus, hits: Hits | null) => void;
  /** Whether a lifted card is over it. */
  isOver: boolean;
}) {
  const listed = { ...filter, statuses: [status] };
  const list = windowed({ filter: listed });
  const { data, loading, error, fetchMore, refetch } = useQuery(ColumnDocument, {
    variables: { filter: listed, first: PAGE, counted: filtered },
    fetchPolicy: 'cache-and-network',
    notifyOnNetworkStatusChange: true,
  });
  const reason = useReason(error);
  const edges = data?.applications?.edges ?? NONE;
  const { hasNextPage = false, endCursor = null } = data?.applications?.pageInfo ?? {};

  const scroller = useRef<HTMLDivElement>(null);
  const { edges: stored } = list;
  const dueText = due.join(' ');
  /** Where each row is: the id of one that is due, or its place among the others. */
  const places = useMemo(() => {
    const first = dueText.split(' ').filter(Boolean);
    const others = Array.from(edges, (_, at) => at);
    return first.length === 0 ? others : [...first, ...others.filter((at) => !first.includes(idAt(stored, at) ?? ''))];
  }, [edges, stored, dueText]);
  const rows = useVirtualizer({
    count: places.length,
    getScrollElement: () => scroller.current,
    // A height belongs to its card, wherever that moves.
    getItemKey: useCallback(
      (index: number) => {
        const place = places[index] ?? index;
        return typeof place === 'string' ? place : (edges[place]?.node?.id ?? idAt(stored, place) ?? index);
      },
      [edges, stored, places],
    ),
    estimateSize: () => HEIGHT,
    overscan: 4,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const inSight = shown.flatMap(({ index }) => (typeof places[index] === 'number' ? [places[index]] : []));
  useWindow(list, edges, { first: inSight[0] ?? 0, last: inSight.at(-1) ?? 0 }, again);
  const of = JSON.stringify(listed);
  useEffect(() => {
    scroller.current?.scrollTo(0, 0);
  }, [of]);
  const wanted = hasNextPage && !loading && !error && last >= places.length - AHEAD;
  useEffect(() => {
    // A page that fails shows its error, and is requested again by the person.
    if (wanted) fetchMore({ variables: { after: endCursor } }).catch(() => {});
  }, [wanted, endCursor, fetchMore]);

  const known = data !== undefined && !(loading && edges.length === 0);
  const counted = data?.applications?.totalCount ?? null;
  const count = filtered ? (counted ?? edges.length) : (total ?? edges.length);
  const more = filtered && counted === null && hasNextPage;
  const top = edges[0]?.node;
  const first = top ? `${top.companyName}, ${top.positionTitle}` : null;
  useEffect(() => {
    onHits(status, known ? { count, more, first } : null);
  }, [onHits, status, known, count, more, first]);

  /** The card whose controls the Tab key reaches; the arrow keys choose another one. */
  const [current, setCurrent] = useState<string | null>(null);
  const name = STATUS_WORDS[status];
  const folded = filtered && known && !error && edges.length === 0;
  const cards = shown.flatMap((row) => {
    const place = places[row.index];
    if (typeof place === 'string') return [{ row, card: { __typename: 'Application', id: place } as Shown }];
    // Empty for a moment after one scrolls past what is read.
    const edge = place === undefined ? null : edges[place];
    return edge ? [{ row, card: edge.node }] : [];
  });
  const isShown = (id: string | null) => cards.some(({ card }) => card && card.id === id);
  const tabbable = isShown(current) ? current : cards.find(({ card }) => card)?.card?.id;
  return (
    <section
      id={`column-${status}`}
      className={['column', isOver && 'over', folded && 'folded'].filter(Boolean).join(' ')}
      aria-label={name}
    >
      <header>
        <h2>
          <i className="dot" data-status={status} /> <span>{name}</span>
        </h2>
        <span className="total">{(known || total !== null) && `${number(count)}${more ? '+' : ''}`}</span>
        {!folded && filter.archived !== 'ONLY' && (
          <a className="bare writes" href={href(`/add/${status}`)} aria-label={`Add an application to ${name}`}>
            <Icon name="add" />
          </a>
        )}
      </header>
      <div className="cards" ref={scroller} tabIndex={-1}>
        <ul
          style={{ height: rows.getTotalSize() }}
          onFocus={({ target }) => {
            const { card } = target.closest<HTMLElement>('[data-card]')?.dataset ?? {};
            if (card) setCurrent(card);
          }}
        >
          {cards.map(({ row, card }) => (
            <li
              key={row.key.toString()}
              ref={rows.measureElement}
              data-index={row.index}
              data-card={card?.id}
              style={{ transform: `translateY(${row.start}px)` }}
            >
              {card ? (
                <CardItem application={card} tabbable={card.id === tabbable} />
              ) : (
                <p className="empty">An application that cannot be read</p>
              )}
            </li>
          ))}
        </ul>
        {loading && edges.length === 0 && <Awaited />}
        {loading && edges.length > 0 && hasNextPage && <p className="empty">Loading more</p>}
        {reason !== null && <NotLoaded className="empty" what="This list" reason={reason} again={refetch} />}
      </div>
    </section>
  );
}

type Shown = NonNullable<NonNullable<ColumnQuery['applications']>['edges'][number]['node']>;

/** What stands for a list that is awaited: nothing moves in it while nothing can come. */
function Awaited() {
  const away = useAway();
  return away === null ? <Skeleton /> : <p className="empty">Not loaded: {away}.</p>;
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
