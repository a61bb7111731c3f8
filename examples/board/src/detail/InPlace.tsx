// A value that becomes a field when it is pressed: Enter or leaving it saves, Escape leaves it as it
// was, and emptying it clears it.

import { useRef, useState } from 'react';

import type { Outcome } from '../api/change';

interface Kind {
  readonly type: 'text' | 'url' | 'date' | 'number' | 'long' | 'choice';
  /** The values of a choice with their words. */
  readonly words?: Record<string, string>;
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  /** Whether it cannot be cleared. */
  readonly required?: boolean;
}

export function InPlace({
  label,
  value,
  shown,
  kind,
  save,
  className,
}: {
  label: string;
  /** The value as the field has it; empty where there is none. */
  value: string;
  /** The value as people read it. */
  shown?: React.ReactNode;
  kind: Kind;
  /** Saves the new text, `null` where it was emptied. */
  save: (text: string | null) => Promise<Outcome>;
  className?: string;
}) {
  const [state, setState] = useState<'shown' | 'edited' | 'saved'>('shown');
  const trigger = useRef<HTMLButtonElement>(null);

  async function leave(text: string, refocus: boolean) {
    const clean = text.trim();
    const same = clean === value || (kind.required && clean === '');
    setState(same ? 'shown' : 'saved');
    if (refocus) requestAnimationFrame(() => trigger.current?.focus());
    if (same) return;
    await save(clean === '' ? null : clean);
    setState('shown');
  }

  if (state === 'edited') {
    return (
      <Editor
        label={label}
        value={value}
        kind={kind}
        onLeave={(text, refocus) => void leave(text, refocus)}
        className={className}
      />
    );
  }
  return (
    <button
      ref={trigger}
      type="button"
      className={`in-place ${className ?? ''}`}
      aria-busy={state === 'saved'}
      onClick={() => setState('edited')}
    >
      <span className="visually-hidden">{label}: </span>
      {value ? (shown ?? value) : <span className="quiet">Add</span>}
    </button>
  );
}

function Editor({
  label,
  value,
  kind,
  onLeave,
  className,
}: {
  label: string;
  value: string;
  kind: Kind;
  onLeave: (text: string, refocus: boolean) => void;
  className?: string | undefined;
}) {
  const left = useRef(false);
  const leave = (text: string, refocus: boolean) => {
    // Leaving by a key makes the browser leave the field once more.
    if (left.current) return;
    left.current = true;
    onLeave(text, refocus);
  };
  const common = {
    'aria-label': label,
    autoFocus: true,
    defaultValue: value,
    className: `editor ${className ?? ''}`,
    onBlur: (event: React.FocusEvent<Field>) => leave(event.currentTarget.value, false),
    onKeyDown: (event: React.KeyboardEvent<Field>) => {
      if (event.key === 'Escape') {
        // Not for the sheet around it.
        event.stopPropagation();
        event.preventDefault();
        leave(value, true);
      }
      if (event.key === 'Enter' && (kind.type !== 'long' || event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        leave(event.currentTarget.value, true);
      }
    },
  };
  if (kind.type === 'choice') {
    return (
      <select {...common} onChange={(event) => leave(event.currentTarget.value, true)}>
        {!kind.required && <option value="">None</option>}
        {Object.entries(kind.words ?? {}).map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    );
  }
  if (kind.type === 'long') return <textarea {...common} rows={4} maxLength={kind.maxLength} />;
  return (
    <input
      {...common}
      type={kind.type}
      min={kind.min}
      max={kind.max}
      maxLength={kind.maxLength}
      step={kind.type === 'number' ? 1 : undefined}
    />
  );
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
