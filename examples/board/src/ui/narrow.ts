// Whether the window has a phone's width, as the style sheets see it.

import { useSyncExternalStore } from 'react';

const query = window.matchMedia('(width < 640px)');

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}
