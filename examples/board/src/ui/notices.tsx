// What the app has to say beside the page: a line that goes away, and a conflict that needs an
// answer.

import { Toast } from 'radix-ui';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';

import { ConflictDialog } from '../conflict';
import type { PlacedFragment } from '../gql/graphql';
import { Icon } from './icons';

/** How long a line stays, in milliseconds: long enough to reach its button. */
const STAY = 8000;

/** Someone else changed what the person wanted to change. */
export interface Conflict {
  /** The application as the person saw it. */
  readonly seen: PlacedFragment;
  /** What the person wanted, as a sentence's end: `move it to Interviewing`. */
  readonly wish: string;
  /** Does it on top of the newer version. */
  readonly again: () => void;
}

interface Line {
  readonly key: number;
  readonly text: string;
  readonly tone: 'plain' | 'bad';
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

interface Notices {
  /** Says that something was done, with a way to undo it. */
  readonly say: (text: string, action?: Line['action']) => void;
  /** Says that something was not done. */
  readonly warn: (text: string, action?: Line['action']) => void;
  /** Asks what shall become of a change that someone else overtook. */
  readonly ask: (conflict: Conflict) => void;
}

const Context = createContext<Notices | null>(null);

/** Where notices go. */
export function useNotices(): Notices {
  const notices = useContext(Context);
  if (!notices) throw new Error('there is no NoticeProvider around this component');
  return notices;
}

let lastKey = 0;

export function NoticeProvider({ children }: { children: ReactNode }) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);

  const add = useCallback((tone: Line['tone'], text: string, action?: Line['action']) => {
    lastKey += 1;
    const line = { key: lastKey, text, tone, action };
    setLines((shown) => [...shown.slice(-2), line]);
  }, []);
  const notices = useMemo<Notices>(
    () => ({
      say: (text, action) => add('plain', text, action),
      warn: (text, action) => add('bad', text, action),
      ask: (conflict) => setConflicts((open) => [...open, conflict]),
    }),
    [add],
  );
  const [conflict] = conflicts;

  return (
    <Context.Provider value={notices}>
      <Toast.Provider duration={STAY} swipeDirection="down">
        {children}
        {lines.map((line) => (
          <Toast.Root
            key={line.key}
            className={`toast ${line.tone}`}
            onOpenChange={(open) => {
              if (!open) setLines((shown) => shown.filter(({ key }) => key !== line.key));
            }}
          >
            <Toast.Description>{line.text}</Toast.Description>
            {line.action && (
              <Toast.Action asChild altText={line.action.label} onClick={line.action.run}>
                <button type="button" className="link">
                  {line.action.label}
                </button>
              </Toast.Action>
            )}
            <Toast.Close className="bare" aria-label="Dismiss">
              <Icon name="close" />
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="toasts" />
      </Toast.Provider>
      {conflict && (
        <ConflictDialog
          key={`${conflict.seen.id} ${conflict.seen.version}`}
          conflict={conflict}
          onClose={() => setConflicts((open) => open.slice(1))}
        />
      )}
    </Context.Provider>
  );
}
