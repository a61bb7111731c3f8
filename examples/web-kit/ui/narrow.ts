// How much room the window has.

import { useSyncExternalStore } from 'react';

function useMedia(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => query.matches,
  );
}

const narrow = window.matchMedia('(width < 640px)');
const wide = window.matchMedia('(width >= 2000px)');

/** Whether the window has a phone's width, as the style sheets see it. */
export function useNarrow(): boolean {
  return useMedia(narrow);
}

/** Whether all columns fit beside each other. */
export function useWide(): boolean {
  return useMedia(wide);
}
