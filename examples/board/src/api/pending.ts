// What applications show while their changes are on the way: what is stored, with what their changes set over it. A change is shown
// from the moment that it is made until it is decided, whatever arrives meanwhile; lists and totals follow what is shown. What is
// deleted is hidden at once, and sent when nobody has undone it.

import { type FieldPolicy, makeVar } from '@apollo/client';
import { useReactiveVar } from '@apollo/client/react';
import { OFFER_STAY } from 'trestle-web-kit/ui/notices';

/** The fields that a change may show before it is decided. */
const FIELDS = ['status', 'statusSince', 'dateApplied', 'updatedAt', 'isArchived'] as const;

export type Shown = Partial<Readonly<Record<(typeof FIELDS)[number], unknown>>>;

/** What a change deletes: applications, or stages, contacts or files of one. It can be undone until then. */
export interface Deletion {
  readonly ids: readonly string[];
  /** What is said of it. */
  readonly text: string;
  readonly until: number;
}

interface Pending {
  /** The application; empty for what is deleted. */
  readonly application?: string;
  readonly shown?: Shown;
  readonly hidden?: readonly string[];
}

/** The changes that are on their way, in the order in which they were made. */
const pending = makeVar<readonly Pending[]>([]);

/** Shows what a change sets, until the answered function is called. */
export function showPending(application: string, shown: Shown): () => void {
  return add({ application, shown });
}

/** Hides what a change deletes, until the answered function is called. */
export function hide({ ids }: Deletion): () => void {
  return add({ hidden: ids });
}

function add(change: Pending): () => void {
  pending([...pending(), change]);
  return () => pending(pending().filter((each) => each !== change));
}

/** A deletion that can be undone from now on. */
export function deletion(text: string, ...ids: readonly string[]): Deletion {
  return { ids, text, until: Date.now() + OFFER_STAY };
}

/** What is hidden. */
export function hiddenIds(): ReadonlySet<string> {
  return new Set(pending().flatMap(({ hidden = [] }) => hidden));
}

export function useHidden(): ReadonlySet<string> {
  useReactiveVar(pending);
  return hiddenIds();
}

/** The applications that may show something else than what is stored. Who reads this reads it again when they change. */
export function pendingIds(): ReadonlySet<string> {
  return new Set(pending().flatMap(({ application, hidden = [] }) => application ?? hidden));
}

/** Forgets what was read by the changes: it remembers it otherwise, also of applications that the cache has evicted. */
export function forgetReads(): void {
  pending([...pending()]);
}

/** How the fields are read. */
export const SHOWN_FIELDS: Readonly<Record<string, FieldPolicy>> = Object.fromEntries(
  FIELDS.map((name) => [
    name,
    {
      read(existing: unknown, { readField }) {
        const all = pending();
        if (all.length === 0 || existing === undefined) return existing;
        const id = readField('id');
        const last = all.findLast(({ application, shown }) => application === id && shown && name in shown);
        return last?.shown ? last.shown[name] : existing;
      },
    } satisfies FieldPolicy,
  ]),
);
