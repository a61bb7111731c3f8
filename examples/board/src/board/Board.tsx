// The board: a column for each status, and dragging between them.

import { useApolloClient, useQuery } from '@apollo/client/react';
import {
  type Announcements,
  type CollisionDetection,
  DndContext,
  DragOverlay,
  KeyboardSensor,
  type KeyboardCoordinateGetter,
  MouseSensor,
  pointerWithin,
  rectIntersection,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { useState } from 'react';

import { STATUSES } from '../api/lists';
import { graphql } from '../gql';
import { ApplicationStatus, type CardFragment } from '../gql/graphql';
import { href } from '../route';
import { Icon } from '../ui/icons';
import { useNarrow } from '../ui/narrow';
import { enumValue, number, STATUS_WORDS } from '../ui/words';
import { byArrows } from './arrows';
import { Card, CardFace } from './Card';
import { useChanges } from './changes';
import { Column } from './Column';
import { filterFrom, isNarrow } from './filter';
import { Filters } from './Filters';

/** The totals of all columns: one read for the server. */
export const Totals = graphql(`
  query Totals {
    applicationStats {
      byStatus {
        status
        active
        archived
      }
    }
  }
`);

/** A column on: arrows move a lifted card from column to column. */
const byColumns: KeyboardCoordinateGetter = (event, { context }) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.code];
  if (!step) return undefined;
  event.preventDefault();
  const over = STATUSES.findIndex((status) => status === context.over?.id);
  const from = over >= 0 ? over : STATUSES.findIndex((status) => holds(status, context.active?.id));
  const target = STATUSES[Math.min(STATUSES.length - 1, Math.max(0, from + step))];
  if (!target) return undefined;
  const column = document.getElementById(`column-${target}`)?.getBoundingClientRect();
  return column && { x: column.left + 12, y: column.top + 60 };
};

function holds(status: ApplicationStatus, id: string | number | undefined): boolean {
  const column = document.getElementById(`column-${status}`);
  return column?.querySelector(`a[href*="${CSS.escape(String(id))}"]`) !== null;
}

const collide: CollisionDetection = (input) =>
  input.pointerCoordinates ? pointerWithin(input) : rectIntersection(input);

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

export function Board({ params }: { params: URLSearchParams }) {
  const { cache } = useApolloClient();
  const { move } = useChanges();
  const narrow = useNarrow();
  const [lifted, setLifted] = useState<CardFragment | null>(null);
  const { data } = useQuery(Totals, {
    fetchPolicy: 'cache-and-network',
    nextFetchPolicy: 'cache-first',
  });
  const filter = filterFrom(params);
  const archive = filter.archived === 'ONLY';
  const rows = data?.applicationStats?.byStatus ?? [];
  const totals = new Map(rows.map((row) => [row.status, row]));
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    // A finger that stays lifts the card; one that moves scrolls.
    useSensor(TouchSensor, { activationConstraint: { delay: 220, tolerance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: byColumns }),
  );

  return (
    <main className="board-page" tabIndex={-1}>
      <div className="board-bar">
        <h1>{archive ? 'Archive' : 'Applications'}</h1>
        {data && (
          <p className="quiet">
            {number(sum(rows, 'active'))} active
            {sum(rows, 'archived') > 0 && `, ${number(sum(rows, 'archived'))} archived`}
          </p>
        )}
        <Filters params={params} />
      </div>
      {rows.length > 0 && sum(rows, 'active') + sum(rows, 'archived') === 0 && (
        <section className="welcome" aria-label="Start">
          <p>A card for each application, from the first idea to the answer.</p>
          <a className="button primary" href={href('/add')}>
            <Icon name="add" /> Add the first one
          </a>
          <a className="button" href={href('/import')}>
            <Icon name="upload" /> Import a spreadsheet
          </a>
        </section>
      )}
      <nav className="jump" aria-label="Columns">
        {STATUSES.map((status) => (
          <button
            key={status}
            type="button"
            onClick={() =>
              document
                .getElementById(`column-${status}`)
                ?.scrollIntoView({ inline: 'center', block: 'nearest' })
            }
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
          screenReaderInstructions: {
            draggable:
              'Press space to pick up the card, the arrow keys to move it from column to column, space to drop it, and escape to put it back. The card’s menu moves it too.',
          },
        }}
        onDragStart={({ active }) => {
          const id = cache.identify({ __typename: 'Application', id: String(active.id) });
          setLifted(cache.readFragment({ fragment: Card, fragmentName: 'Card', id, optimistic: true }));
        }}
        onDragCancel={() => setLifted(null)}
        onDragEnd={({ active, over }) => {
          setLifted(null);
          const status = over && enumValue(ApplicationStatus, String(over.id));
          if (status) void move(String(active.id), status);
        }}
      >
        <div className={lifted ? 'columns moving' : 'columns'} onKeyDown={byArrows}>
          {STATUSES.map((status) => {
            const row = totals.get(status);
            return (
              <Column
                key={status}
                status={status}
                filter={filter}
                filtered={isNarrow(filter)}
                total={row ? (archive ? row.archived : row.active) : null}
              />
            );
          })}
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
