// Which columns the table shows.

import { DropdownMenu } from 'radix-ui';

import { replaceFilter } from '../route';
import { Icon } from '../ui/icons';
import { COLUMNS } from './Row';
import { columnsIn, withColumns } from './view';

export function ColumnMenu({ params }: { params: URLSearchParams }) {
  const shown = columnsIn(params);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="button">
        <Icon name="table" /> Columns
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.getElementById('content')}>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6} collisionPadding={8}>
          {COLUMNS.filter(({ name }) => name !== 'company').map((column) => (
            <DropdownMenu.CheckboxItem
              key={column.name}
              checked={shown.includes(column)}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(checked) =>
                replaceFilter(
                  withColumns(
                    params,
                    COLUMNS.filter((other) => (other === column ? checked : shown.includes(other))),
                  ),
                )
              }
            >
              <span className="tick">
                <DropdownMenu.ItemIndicator>
                  <Icon name="check" />
                </DropdownMenu.ItemIndicator>
              </span>
              {column.title}
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
