// A checklist: its items in their order, to tick, add, change, move and delete as far as the person may.

import {
  type Announcements,
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { number } from 'trestle-web-kit/ui/dates';

import { useItems } from '../api/changes';
import { type Checklist, sorted } from '../api/data';
import { isAdmin } from '../api/opening';
import { ViewerPermission } from '../gql/graphql';
import { Bar } from '../share/Bar';
import { AddItem } from './AddItem';
import { ItemRow, type Allowed } from './ItemRow';

export function ChecklistPage({ list }: { list: Checklist }) {
  const admin = isAdmin(list.shortId);
  const may = (permission: ViewerPermission) => !list.isExpired && (admin || list.viewersMay.includes(permission));
  const allowed: Allowed = {
    tick: may(ViewerPermission.Tick),
    edit: may(ViewerPermission.Edit),
    arrange: admin && !list.isExpired,
  };
  const items = sorted(list.items);
  const ticked = items.filter(({ tickedAt }) => tickedAt).length;
  return (
    <main className="page" id="content" tabIndex={-1}>
      <Bar shareable={list} admin={admin} />
      {list.note && <p className="note" dir="auto">{list.note}</p>}
      <div className="progress">
        <progress value={ticked} max={Math.max(items.length, 1)} aria-label="Ticked items" />
        <span className="quiet">
          {number(ticked)} of {number(items.length)}
        </span>
      </div>
      <Items list={list} allowed={allowed} />
      {items.length === 0 && <p className="quiet empty">Nothing is on this list yet.</p>}
      {may(ViewerPermission.Add) && <AddItem list={list} />}
    </main>
  );
}

function Items({ list, allowed }: { list: Checklist; allowed: Allowed }) {
  const changes = useItems(list);
  const items = sorted(list.items);
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
            <ItemRow key={item.id} item={item} allowed={allowed} changes={changes} />
          ))}
        </ul>
      </SortableContext>
    </DndContext>
  );
}
