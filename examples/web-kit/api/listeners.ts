// Who hears when something changes that no component holds.

import { useSyncExternalStore } from 'react';

export interface Listeners {
  /** Has a listener called at each change, until the answered function is called. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly announce: () => void;
  /** What `read` answers, in a component. */
  readonly use: <Value>(read: () => Value) => Value;
}

export function listeners(): Listeners {
  const all = new Set<() => void>();
  function subscribe(listener: () => void): () => void {
    all.add(listener);
    return () => all.delete(listener);
  }
  function announce(): void {
    for (const listener of all) listener();
  }
  return { subscribe, announce, use: (read) => useSyncExternalStore(subscribe, read) };
}
