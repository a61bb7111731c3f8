// The items of a checklist, to move by mouse, touch and keys. Loaded for those who may move them.

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

import { Icon } from '../ui/icons';
import { type ItemProps, ItemRow, type ItemsProps } from './ItemRow';

export function SortableItems({ items, allowed, changes }: ItemsProps) {
  const ids = items.map(({ id }) => id);
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const nameOf = (id: string | number) => items.find((item) => item.id === id)?.name ?? 'Item';
  const place = (id: string | number) => `place ${ids.indexOf(String(id)) + 1} of ${ids.length}`;
  /** What those hear who do not see the item move. */
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
      onDragEnd={({ active, over }) => {
        const item = items.find(({ id }) => id === active.id);
        const to = ids.indexOf(String(over?.id));
        if (item && to >= 0 && active.id !== over?.id) void changes.move(item, to);
      }}
    >
      <SortableContext items={ids} strategy={verticalListSortingStrategy}>
        <ul className="items" aria-label="Items">
          {items.map((item) => (
            <SortableRow key={item.id} item={item} allowed={allowed} changes={changes} />
          ))}
        </ul>
      </SortableContext>
    </DndContext>
  );
}

function SortableRow(props: ItemProps) {
  const { item } = props;
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({ id: item.id });
  const style = { transform: CSS.Translate.toString(transform), transition };
  return (
    <ItemRow
      {...props}
      row={{ ref: setNodeRef, style, className: isDragging ? 'item lifted' : 'item' }}
      grip={
        <button
          type="button"
          ref={setActivatorNodeRef}
          className="bare grip"
          {...attributes}
          {...listeners}
          aria-label={`Move ${item.name}`}
        >
          <Icon name="grip" />
        </button>
      }
    />
  );
}
