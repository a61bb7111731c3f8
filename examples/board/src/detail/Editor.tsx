// The field that a value becomes while it is edited.

import { useEffect, useId, useRef } from 'react';

export interface Kind {
  readonly type: 'text' | 'url' | 'date' | 'number' | 'long' | 'choice';
  /** The values of a choice with their words. */
  readonly words?: Record<string, string>;
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  /** Whether it cannot be cleared. */
  readonly required?: boolean;
}

/** How the field was left. */
export interface Left {
  readonly text: string;
  /** Empty where the focus went elsewhere by itself. */
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
  onCancel: () => void;
  className?: string | undefined;
}) {
  const problemId = useId();
  const field = useRef<Field>(null);
  const left = useRef(false);
  /** The arrow keys change a closed choice at each press: it is made when the person leaves it. */
  const byKeys = useRef(by === 'keys');

  useEffect(() => {
    if (!by) return;
    field.current?.focus();
    if (by === 'pointer' && field.current instanceof HTMLSelectElement) open(field.current);
  }, [by]);

  function leave(element: Field, how?: 'keys' | 'pointer') {
    // Leaving by a key makes the browser leave the field once more.
    if (left.current || (sent && !how && element.value === text)) return;
    if (kind.type === 'url' && element.value.trim()) element.value = withScheme(element.value.trim());
    const broken = !element.validity.valid && !element.validity.valueMissing;
    left.current = !broken || element.validationMessage !== problem;
    if (!left.current) return;
    onLeave({
      text: element.value.trim(),
      ...(how && { by: how }),
      ...(broken && { problem: element.validationMessage }),
    });
  }

  const common = {
    'aria-label': label,
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': problem ? problemId : undefined,
    dir: 'auto',
    defaultValue: text,
    className: `editor ${className ?? ''}`,
    onBlur: (event: React.FocusEvent<Field>) => leave(event.currentTarget),
    onKeyDown: (event: React.KeyboardEvent<Field>) => {
      byKeys.current = true;
      if (event.key === 'Escape') {
        // Not for the sheet around it.
        event.stopPropagation();
        event.preventDefault();
        left.current = true;
        onCancel();
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
        type={kind.type}
        min={kind.min}
        // Without it a year has six digits.
        max={kind.type === 'date' ? '9999-12-31' : kind.max}
        maxLength={kind.maxLength}
        step={kind.type === 'number' ? 1 : undefined}
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

/** An address as people write it, made whole. */
function withScheme(text: string): string {
  return /^[a-z][a-z\d+.-]*:/iu.test(text) ? text : `https://${text}`;
}
