// The items of a checklist, to move by mouse, touch and keys. Loaded for those who may move them.

import { Sorting, useSorted } from 'trestle-web-kit/ui/sorting';

import { type ItemProps, ItemRow, type ItemsProps } from './ItemRow';

export function SortableItems({ items, allowed, changes }: ItemsProps) {
  return (
    <Sorting
      ids={items.map(({ id }) => id)}
      nameOf={(id) => items.find((item) => item.id === id)?.name ?? 'Item'}
      onMove={(id, over) => {
        const item = items.find((each) => each.id === id);
        if (item) void changes.move(item, items.findIndex((each) => each.id === over));
      }}
    >
      <ul className="items" aria-label="Items">
        {items.map((item) => (
          <SortableRow key={item.id} item={item} allowed={allowed} changes={changes} />
        ))}
      </ul>
    </Sorting>
  );
}

function SortableRow(props: ItemProps) {
  const { item } = props;
  const { row, isDragging, grip } = useSorted(item.id);
  return <ItemRow {...props} row={{ ...row, className: isDragging ? 'item lifted' : 'item' }} grip={grip(`Move ${item.name}`)} />;
}
