// The field that a value becomes while it is edited.

import { useId, useLayoutEffect, useRef } from 'react';

import { withScheme } from '../ui/links';

export interface Kind {
  readonly type: 'text' | 'url' | 'email' | 'date' | 'moment' | 'amount' | 'long' | 'choice';
  /** The text as it is saved, for a value that people write in many ways; nothing if it is not such a value. */
  readonly read?: (text: string) => string | null;
  /** What is wrong with a text that cannot be read, and what to write. */
  readonly wrong?: (text: string) => string;
  /** The values of a choice with their words. */
  readonly words?: Record<string, string>;
  readonly maxLength?: number;
  /** Whether it cannot be cleared. */
  readonly required?: boolean;
}

/** How the field was left. */
export interface Left {
  readonly text: string;
  /** Empty if the focus went elsewhere by itself. */
  readonly by?: 'keys' | 'pointer';
  /** Why the text is no value: half a date has an empty text, which must not clear the whole one. */
  readonly problem?: string;
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function Editor({
  label,
  text,
  problem,
  by,
  sent,
  kind,
  onLeave,
  onCancel,
  onText,
  className,
}: {
  label: string;
  text: string;
  problem?: string | undefined;
  by?: 'keys' | 'pointer' | undefined;
  /** Whether the text was refused already: leaving it as it is does not send it again. */
  sent?: boolean | undefined;
  kind: Kind;
  onLeave: (left: Left) => void;
  onCancel: (text: string) => void;
  /** Hears every letter. */
  onText: (text: string) => void;
  className?: string | undefined;
}) {
  const problemId = useId();
  const field = useRef<Field>(null);
  const left = useRef(false);
  /** The arrow keys change a closed choice at each press: it is made when the person leaves it. */
  const byKeys = useRef(by === 'keys');

  // With the field, before the next key: Escape anywhere else closes the sheet.
  useLayoutEffect(() => {
    if (!by) return;
    field.current?.focus();
    if (by === 'pointer' && field.current instanceof HTMLSelectElement) open(field.current);
  }, [by]);

  function leave(element: Field, how?: 'keys' | 'pointer') {
    // Leaving by a key makes the browser leave the field once more.
    if (left.current || (sent && !how && element.value === text)) return;
    if (kind.type === 'url' && element.value.trim()) element.value = withScheme(element.value.trim());
    const typed = element.value.trim();
    const read = typed && kind.read ? kind.read(typed) : typed;
    const broken = !element.validity.valid && !element.validity.valueMissing;
    const wrong = broken ? element.validationMessage : read === null && (kind.wrong?.(typed) ?? `“${typed}” cannot be read.`);
    left.current = !wrong || wrong !== problem;
    if (!left.current) return;
    onLeave({ text: read ?? typed, ...(how && { by: how }), ...(wrong && { problem: wrong }) });
  }

  const common = {
    'aria-label': label,
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': problem ? problemId : undefined,
    dir: 'auto',
    defaultValue: text,
    className: `editor ${className ?? ''}`,
    onInput: (event: React.FormEvent<Field>) => onText(event.currentTarget.value),
    onBlur: (event: React.FocusEvent<Field>) => leave(event.currentTarget),
    onKeyDown: (event: React.KeyboardEvent<Field>) => {
      byKeys.current = true;
      if (event.key === 'Escape') {
        // Not for the sheet around it.
        event.stopPropagation();
        event.preventDefault();
        left.current = true;
        onCancel(event.currentTarget.value);
      }
      if (event.key === 'Enter' && (kind.type !== 'long' || event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        leave(event.currentTarget, 'keys');
      }
    },
  };
  return (
    <span className="editing">
      {input()}
      {problem && (
        <em id={problemId} role="alert">
          {problem}
        </em>
      )}
    </span>
  );

  function input() {
    const ref = (element: Field | null) => {
      field.current = element;
    };
    if (kind.type === 'choice') {
      return (
        <select
          {...common}
          ref={ref}
          onPointerDown={() => (byKeys.current = false)}
          onChange={(event) => !byKeys.current && leave(event.currentTarget, 'pointer')}
        >
          {!kind.required && <option value="">None</option>}
          {Object.entries(kind.words ?? {}).map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </select>
      );
    }
    if (kind.type === 'long') return <textarea {...common} ref={ref} rows={6} maxLength={kind.maxLength} />;
    return (
      <input
        {...common}
        ref={ref}
        type={{ text: 'text', url: 'url', email: 'email', date: 'date', moment: 'datetime-local', amount: 'text' }[kind.type]}
        inputMode={kind.type === 'amount' ? 'decimal' : undefined}
        // Without it a year has six digits.
        max={{ date: '9999-12-31', moment: '9999-12-31T23:59' }[kind.type as string]}
        maxLength={kind.maxLength}
      />
    );
  }
}

/** Shows the choices at once, where the browser lets a page do so. */
function open(choice: HTMLSelectElement): void {
  try {
    choice.showPicker();
  } catch {
    // Another press shows them.
  }
}
