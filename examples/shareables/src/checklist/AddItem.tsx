// Adds items: one, or a pasted list with one on each line.

import { useRef, useState } from 'react';

import { useItems } from '../api/changes';
import type { Checklist } from '../api/data';
import { lines } from '../ui/lines';
import { Icon } from '../ui/icons';

export function AddItem({ list, mayTick }: { list: Checklist; mayTick: boolean }) {
  const { add } = useItems(list);
  const [name, setName] = useState('');
  const field = useRef<HTMLInputElement>(null);
  return (
    <form
      className="add-item"
      onSubmit={(event) => {
        event.preventDefault();
        const clean = name.trim();
        if (!clean) return;
        add({ name: clean });
        setName('');
        field.current?.focus();
      }}
    >
      <input
        ref={field}
        aria-label="New item"
        placeholder="Add an item, or paste a list"
        maxLength={300}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        onPaste={(event) => {
          const pasted = lines(event.clipboardData?.getData('text') ?? '');
          if (pasted.length < 2) return;
          event.preventDefault();
          add(...pasted.map(({ name, isTicked }) => ({ name: name.slice(0, 300), isTicked: isTicked && mayTick })));
        }}
      />
      <button className="button primary" disabled={name.trim() === ''}>
        <Icon name="add" /> Add
      </button>
    </form>
  );
}
