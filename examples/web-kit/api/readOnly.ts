// Whether the person may only read. What changes something is hidden then.

import { useSyncExternalStore } from 'react';

let readOnly = false;
const listeners = new Set<() => void>();

/** Hides what changes something, or shows it again. */
export function setReadOnly(only: boolean): void {
  readOnly = only;
  document.documentElement.toggleAttribute('data-readonly', only);
  for (const listener of listeners) listener();
}

export function useReadOnly(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readOnly,
  );
}
