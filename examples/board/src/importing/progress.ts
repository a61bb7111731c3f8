// How far an import is, for whoever shows it: the header does, too, without the rest of the import.

import { askBeforeLeaving } from 'trestle-web-kit/api/leaving';
import { listeners } from 'trestle-web-kit/api/listeners';

/** A row that was refused. */
export interface Failure {
  readonly line: number;
  readonly name: string;
  readonly reason: string;
}

/** An import that runs, or its result. `left` is how many rows a cancelled one did not send. */
export type Progress =
  | { readonly now: 'running'; readonly done: number; readonly total: number }
  | { readonly now: 'ended'; readonly made: number; readonly failed: readonly Failure[]; readonly left: number };

let current: Progress | null = null;
const changes = listeners();

export function report(next: Progress | null): void {
  current = next;
  changes.announce();
}

export const progress = {
  subscribe: changes.subscribe,
  /** In a component. */
  use: (): Progress | null => changes.use(() => current),
};

// The rows that it has not sent are stored nowhere.
askBeforeLeaving(isImporting);

/** Whether an import runs, whose changes are not worth following one by one. */
export function isImporting(): boolean {
  return current?.now === 'running';
}
