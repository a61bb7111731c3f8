// A value that becomes a field when it is pressed: Enter or leaving it saves, Escape leaves it as it was, and emptying it
// clears it. What cannot be saved stays in the field, and what was typed survives a reload.

import { createContext, useContext, useRef, useState } from 'react';
import { useReadOnly } from 'trestle-web-kit/api/readOnly';
import { useDraft } from 'trestle-web-kit/ui/drafts';
import { useNotices } from 'trestle-web-kit/ui/notices';

import type { Outcome } from '../api/kept';
import type { PlacedFragment } from '../gql/graphql';
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
  /** The value that the person saw. */
  readonly from: string;
  /** The value that `from` is being saved over. */
  readonly over?: string;
  readonly problem?: string;
  /** How it was opened, which decides where the focus goes; empty where it opens by itself. */
  readonly by?: 'pointer' | 'keys';
  /** Whether the text was sent, and not taken. */
  readonly sent?: boolean;
  /** The application as the person saw it when the field opened. */
  readonly seen?: PlacedFragment | null;
}

/** Reads what the person sees of the application that is edited; of something else there is nothing to read. */
export const SeenContext = createContext<() => PlacedFragment | null>(() => null);

export function InPlace({
  label,
  short = label,
  value,
  shown,
  empty = 'Add',
  kind,
  save,
  className,
  chip = false,
}: {
  label: string;
  /** The label where there are several of them, each in a place of its own. */
  short?: string;
  /** The value as the field has it; empty if there is none. */
  value: string;
  /** The value as people read it. */
  shown?: (value: string) => React.ReactNode;
  /** What is shown if there is no value. */
  empty?: string;
  kind: Kind;
  /** Saves the new text, `null` if it was cleared, over the application as the person saw it when they began. */
  save: (text: string | null, seen: PlacedFragment | null) => Promise<Outcome>;
  className?: string;
  /** Whether it is as small as its label while it is empty. */
  chip?: boolean;
}) {
  const notices = useNotices();
  const readOnly = useReadOnly();
  const draft = useDraft(label);
  const readSeen = useContext(SeenContext);
  const [state, setState] = useState<State>(() => {
    const text = draft.read();
    return text === null || text === value ? { now: 'shown' } : { now: 'edited', draft: { text, from: value } };
  });
  const trigger = useRef<HTMLButtonElement>(null);

  /** Unless the person went on before this frame: the focus is around the button while it is nowhere else. */
  function returnFocus() {
    if (document.activeElement?.contains(trigger.current) ?? true) trigger.current?.focus();
  }

  async function leave({ text, by, problem }: Left, { from, over, seen = null }: Draft) {
    const edit = (next: Draft) => setState({ now: 'edited', draft: { ...next, ...(by && { by }) } });
    if (problem) {
      edit({ text, from, over, problem, seen });
      return;
    }
    const same = text === from || text === value || (kind.required && text === '');
    if (!same && value !== from && value !== over) {
      const other = kind.words?.[value] ?? (value || 'nothing');
      const repeated = other.length > REPEATED ? `${other.slice(0, REPEATED)}…` : other;
      const meanwhile = `Changed elsewhere to “${repeated}” meanwhile. Saving again replaces it, Escape keeps it.`;
      edit({ text, from: value, problem: meanwhile, seen: readSeen() });
      return;
    }
    setState(same ? { now: 'shown' } : { now: 'saved', text });
    if (by) requestAnimationFrame(returnFocus);
    if (same) {
      draft.drop();
      return;
    }
    const outcome = await save(text === '' ? null : text, seen);
    if (outcome === 'made' || outcome === 'asked') {
      draft.drop();
      // Whoever edits it again meanwhile goes on.
      setState((current) => (current.now === 'edited' ? current : { now: 'shown' }));
    } else {
      // Whoever went on meanwhile stays where they are.
      const went = document.activeElement !== trigger.current;
      const draft: Draft = { text, from: value, sent: true, ...(!went && by && { by }) };
      setState((current) => (current.now === 'edited' ? current : { now: 'edited', draft }));
    }
  }

  function cancel(typed: string, { from }: Draft) {
    void leave({ text: from, by: 'keys' }, { text: from, from });
    if (typed.trim() === from) return;
    const run = () => {
      draft.keep(typed);
      setState({ now: 'edited', draft: { text: typed, from: value, by: 'keys', seen: readSeen() } });
    };
    notices.say(`${label}: your change was discarded`, { label: 'Undo', run });
  }

  // Trying again, from the notice of the failure, was successful.
  const through = state.now === 'edited' && state.draft.sent && state.draft.text === value;
  if (state.now === 'edited' && !through) {
    const open = state.draft;
    return (
      <Editor
        key={`${open.from} ${open.problem} ${open.sent}`}
        label={label}
        text={open.text}
        problem={open.problem}
        by={open.by}
        sent={open.sent}
        kind={kind}
        onLeave={(left) => void leave(left, open)}
        onCancel={(typed) => cancel(typed, open)}
        onText={draft.keep}
        className={className}
      />
    );
  }
  const text = state.now === 'saved' ? state.text : value;
  return (
    <button
      ref={trigger}
      type="button"
      className={['in-place', className, chip && !text && 'chip'].filter(Boolean).join(' ')}
      aria-busy={state.now === 'saved'}
      disabled={readOnly}
      onClick={({ detail }) => {
        const by = detail > 0 ? 'pointer' : 'keys';
        // Of a value on its way, what was sent is what the person saw.
        setState({ now: 'edited', draft: { text, from: text, over: value, by, seen: readSeen() } });
      }}
    >
      <span className="visually-hidden">{label}: </span>
      {text ? (
        (shown?.(text) ?? kind.words?.[text] ?? <span dir="auto">{text}</span>)
      ) : chip ? (
        <>
          <span className="visually-hidden">{empty}</span>
          <span aria-hidden="true">+ {short}</span>
        </>
      ) : (
        <span className="quiet">{empty}</span>
      )}
    </button>
  );
}
