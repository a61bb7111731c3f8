// The board: a column for each status.

import { useApolloClient, useQuery } from '@apollo/client/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { number } from 'trestle-web-kit/ui/dates';
import { besides, focusSoon } from 'trestle-web-kit/ui/focus';
import { useNarrow, useWide } from 'trestle-web-kit/ui/narrow';
import { Load, part, useIsThere } from 'trestle-web-kit/ui/part';

import { CLOSED, NEWEST_FIRST, readPlaced, STATUSES } from '../api/lists';
import { graphql } from '../gql';
import type { ApplicationStatus, CardFragment, PlacedFragment } from '../gql/graphql';
import { Icon } from '../ui/icons';
import { usePrintKey } from '../ui/printing';
import { STATUS_WORDS } from '../ui/words';
import { Agenda, dueIn, useWeek } from './Agenda';
import { byArrows } from './arrows';
import { useChanges } from './changes';
import { Column, type Hits } from './Column';
import { filterFrom, isNarrow } from './filter';
import { ALSO_FOUND, Filters } from './Filters';
import { DRAGGING, HELP, Lifted } from './lifting';
import { Rail } from './Rail';

/** The totals of all columns: one read for the server. */
export const Totals = graphql(`
  query Totals {
    applicationStats {
      byStatus {
        status
        active
        archived
        reached
      }
    }
  }
`);

function sum<Name extends string>(rows: readonly Record<Name, number>[], name: Name): number {
  return rows.reduce((total, row) => total + row[name], 0);
}

type AllHits = Partial<Record<ApplicationStatus, Hits | null>>;

/** Most people have applications of their own. */
const WELCOME = part(() => import('./Welcome').then((module) => module.Welcome));
const EXAMPLE_BAR = part(() => import('./ExampleBar').then((module) => module.ExampleBar));

const NO_HITS: AllHits = {};
const NONE: readonly string[] = [];

export function Board({ params }: { params: URLSearchParams }) {
  const client = useApolloClient();
  const { move } = useChanges();
  const narrow = useNarrow();
  const wide = useWide();
  const [lifted, setLifted] = useState<CardFragment | null>(null);
  /** What is lifted, as it was then. */
  const seen = useRef<PlacedFragment | null>(null);
  /** The column that it is over. */
  const [over, setOver] = useState<ApplicationStatus | null>(null);
  const isThere = useIsThere(DRAGGING);
  /** Whether the person unfolded or folded the closed columns; otherwise they are shown where all columns have room. */
  const [unfolded, setUnfolded] = useState<boolean | null>(null);
  const [hits, setHits] = useState<{ readonly of: string; readonly all: AllHits }>({ of: '', all: NO_HITS });
  /** How many a search has found beside those in the columns. */
  const [beside, setBeside] = useState(0);
  const { data } = useQuery(Totals, {
    fetchPolicy: 'cache-and-network',
  });
  const week = useWeek();
  const filter = filterFrom(params);
  // As the table prints it: the columns hold no more than what is in sight.
  usePrintKey(async () => {
    const { printList } = await import('../table/print');
    await printList(client, { filter, sortBy: NEWEST_FIRST });
  });
  const archive = filter.archived === 'ONLY';
  const filtered = isNarrow(filter);
  const rows = data?.applicationStats?.byStatus ?? [];
  const totals = new Map(rows.map((row) => [row.status, archive ? row.archived : row.active]));
  const empty = rows.length > 0 && sum(rows, 'active') + sum(rows, 'archived') === 0;
  // What is looked for may be in any column: those without any are folded.
  const some = filtered || archive;
  const open = some || (unfolded ?? wide);
  const columns = open ? STATUSES : STATUSES.filter((status) => !CLOSED.includes(status));
  const of = JSON.stringify(filter);
  const onHits = useCallback(
    (status: ApplicationStatus, found: Hits | null) => {
      setHits((before) => ({ of, all: { ...(before.of === of && before.all), [status]: found } }));
    },
    [of],
  );
  function unfold(status: ApplicationStatus) {
    setUnfolded(true);
    focusSoon(`#column-${status} .cards`);
  }

  function lift(card: CardFragment | null) {
    if (card) seen.current = readPlaced(client.cache, card.id);
    setLifted(card);
  }

  function drop(id: string, status: ApplicationStatus | null, byKeys: boolean) {
    const item = document.querySelector(`[data-card="${CSS.escape(id)}"]`);
    const next = besides(item, '.grip');
    if (status) void move(id, status, seen.current);
    if (!byKeys) return;
    // The focus follows the card; into a folded column it cannot.
    if (status) document.querySelector(`#column-${status} .cards`)?.scrollTo(0, 0);
    const column = status ? `#column-${status} ` : '';
    focusSoon(`${column}[data-card="${CSS.escape(id)}"] .grip`, next ?? `#column-${status} button`);
  }

  return (
    <main className="board-page" id="content" tabIndex={-1}>
      <div className="board-bar">
        <h1>{archive ? 'Archive' : 'Applications'}</h1>
        {some && <Found key={of} hits={hits.of === of ? hits.all : NO_HITS} beside={filter.text ? beside : 0} isSaid={filtered} />}
        {!filtered && (
          data && (
            <p className="quiet">
              {!archive && `${number(sum(rows, 'active'))} active`}
              {!archive && sum(rows, 'archived') > 0 && ', '}
              {(archive || sum(rows, 'archived') > 0) && `${number(sum(rows, 'archived'))} archived`}
            </p>
          )
        )}
        <Filters params={params} />
      </div>
      {filter.text && <Load part={ALSO_FOUND} props={{ filter, onFound: setBeside }} failed={() => null} />}
      {!archive && !filtered && <Agenda week={week} />}
      <Load key={String(empty)} part={empty ? WELCOME : EXAMPLE_BAR} props={{}} failed={() => null} />
      <nav className="jump" aria-label="Columns" hidden={empty}>
        {STATUSES.map((status) => (
          <button
            key={status}
            type="button"
            onClick={() => {
              if (!columns.includes(status)) setUnfolded(true);
              requestAnimationFrame(() =>
                document
                  .getElementById(`column-${status}`)
                  ?.scrollIntoView({ inline: 'center', block: 'nearest' }),
              );
            }}
          >
            <i className="dot" data-status={status} /> {STATUS_WORDS[status]}
          </button>
        ))}
      </nav>
      <p id={HELP} hidden>
        Press space to pick up the card, the arrow keys to move it from column to column, space to drop it, and escape to put it back.
        The card’s menu moves it too.
      </p>
      <Lifted value={lifted?.id ?? null}>
        <div
          className={lifted ? 'columns moving' : 'columns'}
          onKeyDown={byArrows}
          // Whoever comes near a card may lift it.
          onPointerEnter={() => void DRAGGING.load()}
          onFocus={() => void DRAGGING.load()}
          hidden={empty}
          // Without a card, nothing in it can be reached by a key to scroll it.
          {...(some && hits.of === of && STATUSES.every((status) => hits.all[status]?.count === 0) && {
            role: 'region',
            'aria-label': 'Columns',
            tabIndex: 0,
          })}
        >
          {columns.map((status) => (
            <Column
              key={status}
              status={status}
              filter={filter}
              filtered={some}
              total={totals.get(status) ?? null}
              due={some ? NONE : dueIn(week, status)}
              onHits={onHits}
              isOver={over === status}
            />
          ))}
          {!open && <Rail totals={totals} over={over} onUnfold={unfold} />}
          {open && !some && !wide && (
            <button type="button" className="bare fold" aria-label="Fold the closed columns" onClick={() => setUnfolded(false)}>
              <Icon name="back" />
            </button>
          )}
        </div>
      </Lifted>
      {isThere && (
        <Load part={DRAGGING} props={{ narrow, lifted, onLift: lift, onOver: setOver, onDrop: drop }} />
      )}
    </main>
  );
}

/** How many applications fit the filter. The first one is scrolled into sight. */
function Found({
  hits,
  beside,
  isSaid,
}: {
  hits: AllHits;
  /** How many are found that the columns do not show. */
  beside: number;
  /** Whether it says how many there are. */
  isSaid: boolean;
}) {
  const all = STATUSES.map((status) => hits[status]);
  const done = all.every((found) => found !== undefined && found !== null);
  const count = all.reduce((total, found) => total + (found?.count ?? 0), 0);
  const at = done ? STATUSES.find((status) => (hits[status]?.count ?? 0) > 0) : undefined;
  const scrolled = useRef(false);
  useEffect(() => {
    if (!at || scrolled.current) return;
    scrolled.current = true;
    const column = document.getElementById(`column-${at}`);
    column?.scrollIntoView({ inline: 'center', block: 'nearest' });
    column?.querySelector('.cards')?.scrollTo(0, 0);
  }, [at]);
  const first = at && hits[at]?.first;
  if (!isSaid) return null;
  return (
    <p className="quiet" role="status">
      {!done && 'Searching'}
      {done && (
        <>
          {count === 0 ? 'Nothing' : number(count)}
          {all.some((found) => found?.more) && '+'} found
          {beside > 0 && ` here, ${number(beside)} in other fields`}
          {first && (
            <span className="visually-hidden">
              . First: {first}, in {STATUS_WORDS[at]}
            </span>
          )}
        </>
      )}
    </p>
  );
}
