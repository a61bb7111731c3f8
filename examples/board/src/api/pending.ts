// What applications show while their changes are on the way: what is stored, with what their changes set over it. A change is shown
// from the moment that it is made until it is decided, whatever arrives meanwhile; lists and totals follow what is shown.

import { type FieldPolicy, makeVar } from '@apollo/client';

/** The fields that a change may show before it is decided. */
const FIELDS = ['status', 'statusSince', 'dateApplied', 'updatedAt', 'isArchived'] as const;

export type Shown = Partial<Readonly<Record<(typeof FIELDS)[number], unknown>>>;

interface Pending {
  readonly application: string;
  readonly shown: Shown;
}

/** The changes that are on their way, in the order in which they were made. */
const pending = makeVar<readonly Pending[]>([]);

/** Shows what a change sets, until the answered function is called. */
export function showPending(application: string, shown: Shown): () => void {
  const change = { application, shown };
  pending([...pending(), change]);
  return () => pending(pending().filter((each) => each !== change));
}

/** The applications that may show something else than what is stored. Who reads this reads it again when they change. */
export function pendingIds(): ReadonlySet<string> {
  return new Set(pending().map(({ application }) => application));
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
        const last = all.findLast(({ application, shown }) => application === id && name in shown);
        return last ? last.shown[name] : existing;
      },
    } satisfies FieldPolicy,
  ]),
);
