// A checklist: its items in their order, to tick, add, change, move and delete as far as the person may.

import { number } from 'trestle-web-kit/ui/dates';
import { Load, part } from 'trestle-web-kit/ui/part';

import { useItems } from '../api/changes';
import { type Checklist, sorted } from '../api/data';
import { isAdmin } from '../api/opening';
import { ViewerPermission } from '../gql/graphql';
import { Bar } from '../share/Bar';
import { AddItem } from './AddItem';
import { type Allowed, ItemRow, type ItemsProps } from './ItemRow';

/** Most people who open a list do not move its items. */
const SORTABLE = part(() => import('./SortableItems').then((module) => module.SortableItems));

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
      {may(ViewerPermission.Add) && <AddItem list={list} mayTick={allowed.tick} />}
    </main>
  );
}

function Items({ list, allowed }: { list: Checklist; allowed: Allowed }) {
  const props: ItemsProps = { items: sorted(list.items), allowed, changes: useItems(list) };
  const plain = (
    <ul className="items" aria-label="Items">
      {props.items.map((item) => (
        <ItemRow key={item.id} item={item} allowed={allowed} changes={props.changes} />
      ))}
    </ul>
  );
  return allowed.arrange ? <Load part={SORTABLE} props={props} waiting={plain} failed={() => plain} /> : plain;
}
