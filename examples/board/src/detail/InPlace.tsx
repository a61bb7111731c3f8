// A value that becomes a field when it is pressed: Enter or leaving it saves, Escape leaves it as it
// was, and emptying it clears it. What cannot be saved stays in the field.

import { useRef, useState } from 'react';

import type { Outcome } from '../api/change';
import { Editor, type Kind, type Left } from './Editor';

/** The most of a value that a sentence repeats. */
const REPEATED = 60;

type State =
  | { readonly now: 'shown' }
  | { readonly now: 'edited'; readonly draft: Draft }
  | { readonly now: 'saved'; readonly text: string };

/** What the field opens with. */
interface Draft {
  readonly text: string;
  /** The value that the person knows of. */
  readonly from: string;
  readonly problem?: string;
  /** How it was opened, which decides where the focus goes; empty where it opens by itself. */
  readonly by?: 'pointer' | 'keys';
  /** Whether the text was sent, and not taken. */
  readonly sent?: boolean;
}

export function InPlace({
  label,
  value,
  shown,
  empty = 'Add',
  kind,
  save,
  className,
}: {
  label: string;
  /** The value as the field has it; empty where there is none. */
  value: string;
  /** The value as people read it. */
  shown?: (value: string) => React.ReactNode;
  /** What is shown where there is no value. */
  empty?: string;
  kind: Kind;
  /** Saves the new text, `null` where it was emptied. */
  save: (text: string | null) => Promise<Outcome>;
  className?: string;
}) {
  const [state, setState] = useState<State>({ now: 'shown' });
  const trigger = useRef<HTMLButtonElement>(null);

  async function leave({ text, by, problem }: Left, { from }: Draft) {
    const edit = (draft: Draft) => setState({ now: 'edited', draft: { ...draft, ...(by && { by }) } });
    if (problem) {
      edit({ text, from, problem });
      return;
    }
    const same = text === from || text === value || (kind.required && text === '');
    if (!same && value !== from) {
      const other = kind.words?.[value] ?? (value || 'nothing');
      const repeated = other.length > REPEATED ? `${other.slice(0, REPEATED)}…` : other;
      const meanwhile = `Changed elsewhere to “${repeated}” meanwhile. Saving again replaces it, Escape keeps it.`;
      edit({ text, from: value, problem: meanwhile });
      return;
    }
    setState(same ? { now: 'shown' } : { now: 'saved', text });
    if (by) requestAnimationFrame(() => trigger.current?.focus());
    if (same) return;
    const outcome = await save(text === '' ? null : text);
    if (outcome === 'made' || outcome === 'asked') setState({ now: 'shown' });
    else {
      // Whoever went on meanwhile stays where they are.
      const went = document.activeElement !== trigger.current;
      setState({ now: 'edited', draft: { text, from: value, sent: true, ...(!went && by && { by }) } });
    }
  }

  // Trying again, from the notice that says what went wrong, has got it through.
  const through = state.now === 'edited' && state.draft.sent && state.draft.text === value;
  if (state.now === 'edited' && !through) {
    const { draft } = state;
    return (
      <Editor
        key={`${draft.from} ${draft.problem} ${draft.sent}`}
        label={label}
        text={draft.text}
        problem={draft.problem}
        by={draft.by}
        sent={draft.sent}
        kind={kind}
        onLeave={(left) => void leave(left, draft)}
        onCancel={() => void leave({ text: draft.from, by: 'keys' }, draft)}
        className={className}
      />
    );
  }
  const text = state.now === 'saved' ? state.text : value;
  return (
    <button
      ref={trigger}
      type="button"
      className={`in-place ${className ?? ''}`}
      aria-busy={state.now === 'saved'}
      onClick={({ detail }) => {
        const by = detail > 0 ? 'pointer' : 'keys';
        setState({ now: 'edited', draft: { text: value, from: value, by } });
      }}
    >
      <span className="visually-hidden">{label}: </span>
      {text ? (shown?.(text) ?? kind.words?.[text] ?? <span dir="auto">{text}</span>) : <span className="quiet">{empty}</span>}
    </button>
  );
}
