// The board: a column for each status, and dragging between them.

import { useApolloClient, useQuery } from '@apollo/client/react';
import {
  type Announcements,
  type CollisionDetection,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  KeyboardSensor,
  type KeyboardCoordinateGetter,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { number } from 'trestle-web-kit/ui/dates';
import { besides, focusSoon } from 'trestle-web-kit/ui/focus';
import { useNarrow, useWide } from 'trestle-web-kit/ui/narrow';
import { Load } from 'trestle-web-kit/ui/part';

import { CLOSED, STATUSES } from '../api/lists';
import { graphql } from '../gql';
import { ApplicationStatus, type CardFragment } from '../gql/graphql';
import { Icon } from '../ui/icons';
import { usePrintKey } from '../ui/printing';
import { enumValue, STATUS_WORDS } from '../ui/words';
import { Agenda } from './Agenda';
import { byArrows } from './arrows';
import { Card, CardFace } from './Card';
import { useChanges } from './changes';
import { Column, type Hits } from './Column';
import { filterFrom, isNarrow } from './filter';
import { ALSO_FOUND, Filters } from './Filters';
import { Rail } from './Rail';
import { Welcome } from './Welcome';

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

/** How far inside of a column a card that is moved by keyboard lies, in pixels. */
const INSET = 6;

/** The column that a card was moved to by keyboard, by its place: keys can come faster than the card moves. */
let aimed = 0;

/** A column on: arrows move a lifted card from column to column, folded ones too. */
const byColumns: KeyboardCoordinateGetter = (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.code];
  if (!step) return undefined;
  event.preventDefault();
  aimed = Math.min(STATUSES.length - 1, Math.max(0, aimed + step));
  const place = document.getElementById(`column-${STATUSES[aimed]}`)?.getBoundingClientRect();
  return place && { x: place.left + INSET, y: place.top + INSET };
};

/** The column under the pointer, or under the corner of a card that is moved by keyboard. */
const collide: CollisionDetection = (input) => {
  if (input.pointerCoordinates) return pointerWithin(input);
  const { left, top } = input.collisionRect;
  return pointerWithin({ ...input, pointerCoordinates: { x: left, y: top } });
};

/** What those hear who do not see the card move. */
const announcements: Announcements = {
  onDragStart: ({ active }) => `Picked up ${nameOf(active.data.current)}.`,
  onDragOver: ({ active, over }) =>
    over ? `${nameOf(active.data.current)} is over ${columnOf(over.id)}.` : undefined,
  onDragEnd: ({ active, over }) =>
    over
      ? `Dropped ${nameOf(active.data.current)} in ${columnOf(over.id)}.`
      : `Put ${nameOf(active.data.current)} back.`,
  onDragCancel: ({ active }) => `Put ${nameOf(active.data.current)} back.`,
};

function nameOf(data: Record<string, unknown> | undefined): string {
  return String(data?.['name'] ?? 'the card');
}

function columnOf(id: string | number): string {
  const status = enumValue(ApplicationStatus, String(id));
  return status ? STATUS_WORDS[status] : 'nothing';
}

function sum<Name extends string>(rows: readonly Record<Name, number>[], name: Name): number {
  return rows.reduce((total, row) => total + row[name], 0);
}

type AllHits = Partial<Record<ApplicationStatus, Hits | null>>;

const NO_HITS: AllHits = {};

export function Board({ params }: { params: URLSearchParams }) {
  const client = useApolloClient();
  const { cache } = client;
  const { move } = useChanges();
  const narrow = useNarrow();
  const wide = useWide();
  const [lifted, setLifted] = useState<CardFragment | null>(null);
  /** Whether the person unfolded or folded the closed columns; otherwise they are shown where all columns have room. */
  const [unfolded, setUnfolded] = useState<boolean | null>(null);
  const [hits, setHits] = useState<{ readonly of: string; readonly all: AllHits }>({ of: '', all: NO_HITS });
  const { data } = useQuery(Totals, {
    fetchPolicy: 'cache-and-network',
    nextFetchPolicy: 'cache-first',
  });
  const filter = filterFrom(params);
  // As the table prints it: the columns hold no more than what is in sight.
  usePrintKey(async () => {
    const { printList } = await import('../table/print');
    await printList(client, { filter, orderBy: 'UPDATED_AT_DESC' });
  });
  const archive = filter.archived === 'ONLY';
  const filtered = isNarrow(filter);
  const rows = data?.applicationStats?.byStatus ?? [];
  const totals = new Map(rows.map((row) => [row.status, archive ? row.archived : row.active]));
  const empty = rows.length > 0 && sum(rows, 'active') + sum(rows, 'archived') === 0;
  const open = filtered || (unfolded ?? wide);
  const columns = open ? STATUSES : STATUSES.filter((status) => !CLOSED.includes(status));
  const of = JSON.stringify(filter);
  const onHits = useCallback(
    (status: ApplicationStatus, found: Hits | null) => {
      setHits((before) => ({ of, all: { ...(before.of === of && before.all), [status]: found } }));
    },
    [of],
  );
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    // A finger that stays lifts the card; one that moves scrolls.
    useSensor(TouchSensor, { activationConstraint: { delay: 220, tolerance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: byColumns }),
  );

  function unfold(status: ApplicationStatus) {
    setUnfolded(true);
    focusSoon(`#column-${status} .cards`);
  }

  function drop({ active, over, activatorEvent }: DragEndEvent) {
    setLifted(null);
    const id = String(active.id);
    const status = over && enumValue(ApplicationStatus, String(over.id));
    const item = document.querySelector(`[data-card="${CSS.escape(id)}"]`);
    const next = besides(item, '.grip');
    if (status) void move(id, status);
    if (!(activatorEvent instanceof KeyboardEvent)) return;
    // The focus follows the card; into a folded column it cannot.
    if (status) document.querySelector(`#column-${status} .cards`)?.scrollTo(0, 0);
    const column = status ? `#column-${status} ` : '';
    focusSoon(`${column}[data-card="${CSS.escape(id)}"] .grip`, next ?? `#column-${status} button`);
  }

  return (
    <main className="board-page" id="content" tabIndex={-1}>
      <div className="board-bar">
        <h1>{archive ? 'Archive' : 'Applications'}</h1>
        {filtered ? (
          <Found key={of} hits={hits.of === of ? hits.all : NO_HITS} />
        ) : (
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
      {filter.text && <Load part={ALSO_FOUND} props={{ filter }} failed={() => null} />}
      {!archive && !filtered && <Agenda />}
      {empty && <Welcome />}
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
      <DndContext
        sensors={sensors}
        collisionDetection={collide}
        // A phone shows one column at a time: it has to be possible to aim at one.
        autoScroll={{ acceleration: narrow ? 3 : 10 }}
        accessibility={{
          announcements,
          restoreFocus: false,
          screenReaderInstructions: {
            draggable:
              'Press space to pick up the card, the arrow keys to move it from column to column, space to drop it, and escape to put it back. The card’s menu moves it too.',
          },
        }}
        onDragStart={({ active }) => {
          const id = cache.identify({ __typename: 'Application', id: String(active.id) });
          const card = cache.readFragment({ fragment: Card, fragmentName: 'Card', id, optimistic: true });
          aimed = STATUSES.findIndex((status) => status === card?.status);
          setLifted(card);
        }}
        onDragCancel={({ active }) => {
          setLifted(null);
          focusSoon(`[data-card="${CSS.escape(String(active.id))}"] .grip`);
        }}
        onDragEnd={drop}
      >
        <div
          className={lifted ? 'columns moving' : 'columns'}
          onKeyDown={byArrows}
          hidden={empty}
          // Without a card, nothing in it can be reached by a key to scroll it.
          {...(filtered && hits.of === of && STATUSES.every((status) => hits.all[status]?.count === 0) && {
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
              filtered={filtered}
              total={totals.get(status) ?? null}
              onHits={onHits}
            />
          ))}
          {!open && <Rail totals={totals} onUnfold={unfold} />}
          {open && !filtered && !wide && (
            <button type="button" className="bare fold" aria-label="Fold the closed columns" onClick={() => setUnfolded(false)}>
              <Icon name="back" />
            </button>
          )}
        </div>
        <DragOverlay dropAnimation={null}>
          {lifted && (
            <div className="card overlay-card">
              <CardFace card={lifted} />
            </div>
          )}
        </DragOverlay>
      </DndContext>
    </main>
  );
}

/** How many applications fit the filter. The first one is scrolled into sight. */
function Found({ hits }: { hits: AllHits }) {
  const all = STATUSES.map((status) => hits[status]);
  const done = all.every((found) => found !== undefined && found !== null);
  const count = all.reduce((total, found) => total + (found?.count ?? 0), 0);
  const at = done ? STATUSES.find((status) => (hits[status]?.count ?? 0) > 0) : undefined;
  const scrolled = useRef(false);
  useEffect(() => {
    if (!at || scrolled.current) return;
    scrolled.current = true;
    const column = document.getElementById(`column-${at}`);
    column?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
    column?.querySelector('.cards')?.scrollTo(0, 0);
  }, [at]);
  const first = at && hits[at]?.first;
  return (
    <p className="quiet" role="status">
      {!done && 'Searching'}
      {done && (
        <>
          {count === 0 ? 'Nothing' : number(count)}
          {all.some((found) => found?.more) && '+'} found
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
