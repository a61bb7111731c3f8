// A list to put in order by mouse, touch and keys, by a grip in each row.

import {
  type Announcements,
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { SortableContext, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import type { ReactNode } from 'react';

import { Drawing, GRIP } from './icons';

/** Around the list, whose rows are `useSorted`. */
export function Sorting({
  ids,
  nameOf,
  onLift,
  onMove,
  children,
}: {
  ids: string[];
  /** What a row is called where its moves are spoken. */
  nameOf: (id: string | number) => string;
  onLift?: () => void;
  /** A row was put in the place of another one. */
  onMove: (id: string, over: string) => void;
  children: ReactNode;
}) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const place = (id: string | number) => `place ${ids.indexOf(String(id)) + 1} of ${ids.length}`;
  /** What those hear who do not see the row move. */
  const announcements: Announcements = {
    onDragStart: ({ active }) => `Picked up ${nameOf(active.id)}.`,
    onDragOver: ({ active, over }) => (over ? `${nameOf(active.id)} is at ${place(over.id)}.` : undefined),
    onDragEnd: ({ active, over }) => `Dropped ${nameOf(active.id)} at ${place((over ?? active).id)}.`,
    onDragCancel: ({ active }) => `Put ${nameOf(active.id)} back.`,
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      accessibility={{ announcements }}
      onDragStart={onLift}
      onDragEnd={({ active, over }) => {
        const [id, place] = [String(active.id), String(over?.id)];
        if (id !== place && ids.includes(id) && ids.includes(place)) onMove(id, place);
      }}
    >
      <SortableContext items={ids} strategy={verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  );
}

/** A row: where it is while it is moved, and the button that moves it, by what that is called. */
export function useSorted(id: string) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({ id });
  const grip = (label: string) => (
    <button type="button" ref={setActivatorNodeRef} className="bare grip" {...attributes} {...listeners} aria-label={label}>
      <Drawing path={GRIP} />
    </button>
  );
  return { row: { ref: setNodeRef, style: { transform: CSS.Translate.toString(transform), transition } }, isDragging, grip };
}
