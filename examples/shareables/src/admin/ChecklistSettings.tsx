// What friends may do with a checklist, its name and note, and clearing all ticks.

import { useItems } from '../api/changes';
import type { Checklist } from '../api/data';
import { graphql } from '../gql';
import { ViewerPermission } from '../gql/graphql';
import { useChange } from './useChange';

const Update = graphql(`
  mutation UpdateChecklist($input: UpdateChecklistInput!) {
    updateChecklist(input: $input) {
      checklist {
        ...ChecklistHead
      }
      userErrors {
        message
      }
    }
  }
`);

const RemoveTicked = graphql(`
  mutation RemoveTicked($input: RemoveTickedItemsInput!) {
    removeTickedItems(input: $input) {
      deletedIds
      userErrors {
        message
      }
    }
  }
`);

const MAY: readonly (readonly [ViewerPermission, string])[] = [
  [ViewerPermission.Tick, 'Tick items'],
  [ViewerPermission.Add, 'Add items'],
  [ViewerPermission.Edit, 'Change the texts of items'],
];

export function ChecklistSettings({ list }: { list: Checklist }) {
  const { shortId, viewersMay } = list;
  const { busy, change } = useChange(shortId);
  const { deleted, untick } = useItems(list);

  async function removeTicked() {
    const text = 'The ticked items are deleted';
    const data = await change(RemoveTicked, { input: { shortId } }, text);
    const ids = data?.removeTickedItems?.deletedIds ?? [];
    if (ids.length > 0) deleted(text, (list.items ?? []).filter(({ id }) => ids.includes(id)));
  }

  const update = (input: object) => void change(Update, { input: { shortId, ...input } }, 'Saved');
  return (
    <>
      <section aria-labelledby="texts-title">
        <h3 id="texts-title">Name and note</h3>
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            const form = new FormData(event.currentTarget);
            const text = (name: string) => String(form.get(name) ?? '').trim();
            update({ name: text('name'), note: text('note') || null });
          }}
        >
          <label>
            <span>Name</span>
            <input name="name" defaultValue={list.name} required maxLength={120} />
          </label>
          <label>
            <span>Note</span>
            <textarea name="note" rows={2} defaultValue={list.note ?? ''} maxLength={2000} />
          </label>
          <div className="buttons">
            <button className="button" disabled={busy}>
              Save
            </button>
          </div>
        </form>
      </section>
      <section>
        <fieldset>
          <legend>What friends may do</legend>
          {MAY.map(([each, words]) => (
            <label key={each} className="choice">
              <input
                type="checkbox"
                checked={viewersMay.includes(each)}
                disabled={busy}
                onChange={({ currentTarget }) => {
                  const others = viewersMay.filter((other) => other !== each);
                  update({ viewersMay: currentTarget.checked ? [...others, each] : others });
                }}
              />
              <span>{words}</span>
            </label>
          ))}
        </fieldset>
        <div className="buttons">
          <button type="button" className="button" disabled={busy || list.tickedCount === 0} onClick={untick}>
            Clear all ticks
          </button>
          <button type="button" className="button" disabled={busy || list.tickedCount === 0} onClick={() => void removeTicked()}>
            Delete ticked items
          </button>
        </div>
      </section>
    </>
  );
}
