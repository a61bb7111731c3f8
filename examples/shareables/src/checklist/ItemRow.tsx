// One item of a checklist.

import { type CSSProperties, type ReactNode, useRef, useState } from 'react';
import { moment } from 'trestle-web-kit/ui/dates';
import { besides } from 'trestle-web-kit/ui/focus';

import type { useItems } from '../api/changes';
import type { Item } from '../api/data';
import { Icon } from '../ui/icons';
import { ItemFields, textsOf } from './ItemFields';

/** What the person may do, besides reading. */
export interface Allowed {
  readonly tick: boolean;
  readonly edit: boolean;
  /** Moving and deleting. Whoever may change items deletes their own, too. */
  readonly arrange: boolean;
}

/** An item, what the person may do with it, and how. */
export interface ItemProps {
  readonly item: Item;
  readonly allowed: Allowed;
  readonly changes: ReturnType<typeof useItems>;
}

/** All of them, in their order. */
export interface ItemsProps extends Omit<ItemProps, 'item'> {
  readonly items: readonly Item[];
}

/** Where the row is while it is moved. */
interface Row {
  readonly ref: (element: HTMLElement | null) => void;
  readonly style: CSSProperties;
  readonly className: string;
}

/** `grip`: what moves the item, for those who may. */
export function ItemRow({ item, allowed, changes, row, grip }: ItemProps & { row?: Row; grip?: ReactNode }) {
  const [editing, setEditing] = useState(false);
  const pen = useRef<HTMLButtonElement>(null);
  const isTicked = Boolean(item.tickedAt);
  const close = () => {
    setEditing(false);
    requestAnimationFrame(() => pen.current?.focus());
  };
  return (
    <li className="item" data-ticked={isTicked} {...row}>
      {grip}
      {editing ? (
        <form
          className="form item-form"
          onSubmit={(event) => {
            event.preventDefault();
            const texts = textsOf(new FormData(event.currentTarget));
            if (!texts.name) return;
            void changes.edit(item, texts);
            close();
          }}
          onKeyDown={({ key }) => key === 'Escape' && close()}
        >
          <ItemFields item={item} />
          <div className="buttons">
            <button type="button" className="button" onClick={close}>
              Cancel
            </button>
            <button className="button primary">Save</button>
          </div>
        </form>
      ) : (
        <>
          <label className="tickable">
            <input
              type="checkbox"
              checked={isTicked}
              disabled={!allowed.tick}
              onChange={({ currentTarget }) => void changes.tick(item, currentTarget.checked)}
            />
            <span className="texts">
              <b dir="auto">{item.name}</b>
              {item.quantity && <span className="chip">{item.quantity}</span>}
              {item.person && <span className="chip">{item.person}</span>}
              {item.note && <span className="quiet item-note" dir="auto">{item.note}</span>}
            </span>
          </label>
          {item.tickedBy && item.tickedAt && (
            <span className="quiet by" title={moment(item.tickedAt)}>
              {item.tickedBy}
            </span>
          )}
          {allowed.edit && (
            <button type="button" className="bare" ref={pen} aria-label={`Change ${item.name}`} onClick={() => setEditing(true)}>
              <Icon name="pen" />
            </button>
          )}
          {(allowed.arrange || (allowed.edit && item.isMine)) && (
            <button
              type="button"
              className="bare"
              aria-label={`Delete ${item.name}`}
              onClick={({ currentTarget }) => {
                const next =
                  besides(currentTarget.closest('li'), '[aria-label^="Delete "]') ??
                  document.querySelector<HTMLElement>('.add-item input');
                changes.deleted(`“${item.name}” is deleted`, [item]);
                void changes.remove(item);
                next?.focus();
              }}
            >
              <Icon name="trash" />
            </button>
          )}
        </>
      )}
    </li>
  );
}
