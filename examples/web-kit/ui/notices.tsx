// What the app reports beside the page: lines that go away, and questions that need an answer.

import {
  createContext,
  Fragment,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';

import './composing';
import { CLOSE, Drawing } from './icons';

/** How long a line stays, in milliseconds. */
const STAY = 8000;
/** How long one stays that offers something: long enough to reach its button. */
export const OFFER_STAY = 10_000;

interface Action {
  readonly label: string;
  readonly run: () => void;
}

interface Line {
  readonly key: number;
  readonly text: string;
  readonly tone: 'plain' | 'bad';
  readonly action?: Action | undefined;
  /** Runs when the line is gone, however that came. */
  readonly onGone?: (() => void) | undefined;
}

/** Takes a line away before its time. */
export type Dismiss = () => void;

/** Something that the person has to decide, one question after the other. */
export interface Question {
  /** Tells questions apart. */
  readonly key: string;
  readonly show: (onClose: () => void) => ReactNode;
}

interface Notices {
  /** Reports what was done, with a way to undo it. It replaces the report before it. */
  readonly say: (text: string, action?: Action) => Dismiss;
  /**
   * Reports what is done as soon as the report is gone, with a way to undo it until then. Answers whether to do it: at once if it
   * is later than `until`.
   */
  readonly offer: (text: string, until: number) => Promise<boolean>;
  /** Reports what was not done. */
  readonly warn: (text: string, action?: Action) => Dismiss;
  /** Asks the person to decide, as soon as the questions before are answered. */
  readonly ask: (question: Question) => void;
}

const Context = createContext<Notices | null>(null);

interface Shown {
  readonly lines: readonly Line[];
  readonly dismiss: (key: number) => void;
  /** The outlets that are on the page; the last one shows the lines. */
  readonly outlets: readonly string[];
  readonly enter: (outlet: string) => () => void;
}

const ShownContext = createContext<Shown | null>(null);

/** Where notices are sent. */
export function useNotices(): Notices {
  const notices = useContext(Context);
  if (!notices) throw new Error('there is no NoticeProvider around this component');
  return notices;
}

let lastKey = 0;

export function NoticeProvider({ children }: { children: ReactNode }) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  const [outlets, setOutlets] = useState<readonly string[]>([]);

  const dismiss = useCallback((key: number) => {
    setLines((shown) => shown.filter((line) => line.key !== key));
  }, []);
  const enter = useCallback((outlet: string) => {
    setOutlets((open) => [...open, outlet]);
    return () => setOutlets((open) => open.filter((other) => other !== outlet));
  }, []);
  const notices = useMemo<Notices>(() => {
    const add = (tone: Line['tone'], text: string, action?: Action, onGone?: () => void) => {
      lastKey += 1;
      const line = { key: lastKey, text, tone, action, onGone };
      setLines((shown) => {
        const others = tone === 'plain' ? shown.filter((other) => other.tone === 'bad' || other.onGone) : shown;
        return [...others.slice(-2), line];
      });
      return () => dismiss(line.key);
    };
    return {
      say: (text, action) => add('plain', text, action),
      offer: (text, until) =>
        new Promise((resolve) => {
          if (until < Date.now()) resolve(true);
          else add('plain', text, { label: 'Undo', run: () => resolve(false) }, () => resolve(true));
        }),
      warn: (text, action) => add('bad', text, action),
      ask: (question) => setQuestions((open) => [...open, question]),
    };
  }, [dismiss]);
  const shown = useMemo(() => ({ lines, dismiss, outlets, enter }), [lines, dismiss, outlets, enter]);
  useUndoKey(lines, dismiss);
  const before = useRef(lines);
  useEffect(() => {
    for (const line of before.current) if (!lines.includes(line)) line.onGone?.();
    before.current = lines;
  }, [lines]);
  const [question] = questions;

  return (
    <Context.Provider value={notices}>
      <ShownContext.Provider value={shown}>
        {children}
        <NoticeOutlet />
        {question && (
          <Fragment key={question.key}>{question.show(() => setQuestions((open) => open.slice(1)))}</Fragment>
        )}
      </ShownContext.Provider>
    </Context.Provider>
  );
}

/**
 * Where the lines appear: on the page and in each dialog, the last one that opened. What is outside of an open dialog can
 * be reached neither by Tab nor by pointer.
 */
export function NoticeOutlet() {
  const id = useId();
  const shown = useContext(ShownContext);
  const enter = shown?.enter;
  useEffect(() => enter?.(id), [enter, id]);
  return (
    <div className="toasts" role="status">
      {shown?.outlets.at(-1) === id &&
        shown.lines.map((line) => (
          <Toast key={line.key} line={line} onEnd={() => shown.dismiss(line.key)} />
        ))}
    </div>
  );
}

function Toast({ line, onEnd }: { line: Line; onEnd: () => void }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(onEnd, line.action ? OFFER_STAY : STAY);
    return () => clearTimeout(timer);
  });
  return (
    <div
      className={`toast ${line.tone}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{line.text}</span>
      {line.action && (
        <button
          type="button"
          className="link"
          onClick={() => {
            line.action?.run();
            onEnd();
          }}
        >
          {line.action.label}
        </button>
      )}
      <button type="button" className="bare" aria-label="Dismiss" onClick={onEnd}>
        <Drawing path={CLOSE} />
      </button>
    </div>
  );
}

/** Control and Z does what the newest line offers, unless something is being typed. */
function useUndoKey(lines: readonly Line[], dismiss: (key: number) => void): void {
  // Before it is painted: whoever sees the offer can take it.
  useLayoutEffect(() => {
    const undo = lines.findLast(({ action }) => action?.label === 'Undo');
    if (!undo) return undefined;
    const listen = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.closest('input, textarea, select');
      if (typing || event.key !== 'z' || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      undo.action?.run();
      dismiss(undo.key);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [lines, dismiss]);
}
