// Whether the person may only read. What changes something is hidden then.

import { listeners } from './listeners';

let readOnly = false;
const changes = listeners();

/** Hides what changes something, or shows it again. */
export function setReadOnly(only: boolean): void {
  readOnly = only;
  document.documentElement.toggleAttribute('data-readonly', only);
  changes.announce();
}

export function useReadOnly(): boolean {
  return changes.use(() => readOnly);
}
