// The fields of an item.

import type { ItemTexts } from '../api/changes';
import type { Item } from '../api/data';

export function ItemFields({ item }: { item: Item }) {
  return (
    <>
      <label>
        <span>Item</span>
        <input name="name" defaultValue={item.name} required maxLength={300} autoFocus />
      </label>
      <div className="two">
        <label>
          <span>How much</span>
          <input name="quantity" defaultValue={item.quantity ?? ''} maxLength={40} />
        </label>
        <label>
          <span>Who</span>
          <input name="person" defaultValue={item.person ?? ''} maxLength={80} />
        </label>
      </div>
      <label>
        <span>Note</span>
        <textarea name="note" defaultValue={item.note ?? ''} maxLength={2000} rows={2} />
      </label>
    </>
  );
}

/** What the fields hold; an empty one clears the text. */
export function textsOf(form: FormData): ItemTexts {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  return { name: text('name'), quantity: text('quantity') || null, person: text('person') || null, note: text('note') || null };
}
