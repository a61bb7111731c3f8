// Moves a lifted card from column to column, by mouse, touch and keys. The cards and columns know nothing of it: the one card that
// is pressed stands for the draggable, and each column is found by its id.

import { useApolloClient } from '@apollo/client/react';
import {
  type Announcements,
  type CollisionDetection,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  KeyboardSensor,
  type KeyboardCoordinateGetter,
  MouseSensor,
  TouchSensor,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import type { Coordinates } from '@dnd-kit/utilities';
import { useLayoutEffect, useRef } from 'react';

import { STATUSES } from '../api/lists';
import { ApplicationStatus, type CardFragment } from '../gql/graphql';
import { enumValue, STATUS_WORDS } from '../ui/words';
import { Card, CardFace } from './Card';
import { type Liftable, takePresses } from './lifting';

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

/** The column nearest to the pointer, or to the corner of a card that is moved by keyboard: there are gaps between columns. */
const collide: CollisionDetection = ({ pointerCoordinates, collisionRect, droppableContainers, droppableRects }) => {
  const point = pointerCoordinates ?? { x: collisionRect.left, y: collisionRect.top };
  const board = document.querySelector('.columns')?.getBoundingClientRect();
  if (!board || distance(point, board) > 0) return [];
  const found = droppableContainers.flatMap((droppableContainer) => {
    const rect = droppableRects.get(droppableContainer.id);
    return rect ? [{ id: droppableContainer.id, data: { droppableContainer, value: distance(point, rect) } }] : [];
  });
  return found.toSorted((one, other) => one.data.value - other.data.value);
};

type Sides = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>;

/** How far a point is from a rectangle; 0 within it. */
function distance({ x, y }: Coordinates, { left, right, top, bottom }: Sides): number {
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
}

type Moved = Pick<DragEndEvent, 'active'>;

/** What those hear who do not see the card move. */
const announcements: Announcements = {
  onDragStart: (event) => `Picked up ${cardOf(event).name}.`,
  onDragOver: ({ active, over }) => (over ? `${cardOf({ active }).name} is over ${columnOf(over.id)}.` : undefined),
  onDragEnd: ({ active, over }) =>
    over ? `Dropped ${cardOf({ active }).name} in ${columnOf(over.id)}.` : `Put ${cardOf({ active }).name} back.`,
  onDragCancel: (event) => `Put ${cardOf(event).name} back.`,
};

function cardOf({ active }: Moved): Liftable {
  return active.data.current as Liftable;
}

function statusOf(id: string | number | undefined): ApplicationStatus | null {
  return enumValue(ApplicationStatus, String(id));
}

function columnOf(id: string | number): string {
  const status = statusOf(id);
  return status ? STATUS_WORDS[status] : 'nothing';
}

export interface DraggingProps {
  readonly narrow: boolean;
  readonly lifted: CardFragment | null;
  readonly onLift: (card: CardFragment | null) => void;
  readonly onOver: (status: ApplicationStatus | null) => void;
  /** The card was put into a column, or back. */
  readonly onDrop: (id: string, status: ApplicationStatus | null, byKeys: boolean) => void;
}

export function Dragging({ narrow, lifted, onLift, onOver, onDrop }: DraggingProps) {
  const { cache } = useApolloClient();
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    // A finger that stays lifts the card; one that moves scrolls.
    useSensor(TouchSensor, { activationConstraint: { delay: 220, tolerance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: byColumns }),
  );
  const end = (event: Moved, status: ApplicationStatus | null, byKeys: boolean) => {
    onLift(null);
    onOver(null);
    onDrop(cardOf(event).id, status, byKeys);
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={collide}
      // A phone shows one column at a time: it has to be possible to aim at one.
      autoScroll={{ acceleration: narrow ? 3 : 10 }}
      accessibility={{ announcements, restoreFocus: false }}
      onDragStart={(event) => {
        const id = cache.identify({ __typename: 'Application', id: cardOf(event).id });
        const card = cache.readFragment({ fragment: Card, fragmentName: 'Card', id, optimistic: true });
        aimed = STATUSES.findIndex((status) => status === card?.status);
        onLift(card);
      }}
      onDragOver={({ over }) => onOver(over && statusOf(over.id))}
      onDragCancel={(event) => end(event, null, true)}
      onDragEnd={(event) => end(event, event.over && statusOf(event.over.id), event.activatorEvent instanceof KeyboardEvent)}
    >
      <Pressed />
      {STATUSES.map((status) => (
        <Place key={status} status={status} />
      ))}
      <DragOverlay dropAnimation={null}>
        {lifted && (
          <div className="card overlay-card">
            <CardFace card={lifted} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  );
}

/** Stands for the card that is pressed. */
function Pressed() {
  const card = useRef({ id: '', name: '' }).current;
  const { listeners, setNodeRef, setActivatorNodeRef, isDragging } = useDraggable({ id: 'pressed', data: card });
  useLayoutEffect(() =>
    takePresses((event, { id, name }) => {
      if (!isDragging) {
        const article = (event.currentTarget as Element).closest<HTMLElement>('article');
        Object.assign(card, { id, name });
        setNodeRef(article);
        setActivatorNodeRef(article?.querySelector<HTMLElement>('.grip') ?? null);
      }
      const listener = { mousedown: 'onMouseDown', touchstart: 'onTouchStart', keydown: 'onKeyDown' }[event.type];
      if (listener) listeners?.[listener]?.(event);
    }),
  );
  return null;
}

/** Stands for a column, whichever element shows it now. */
function Place({ status }: { status: ApplicationStatus }) {
  const { setNodeRef } = useDroppable({ id: status });
  useLayoutEffect(() => setNodeRef(document.getElementById(`column-${status}`)));
  return null;
}
