// A component's own part of an application, also while the cache holds less of it for a moment.

import { useRef } from 'react';

/** What `useFragment` answers, as far as it matters here. */
type Fragment<T> =
  | { readonly complete: true; readonly data: T }
  | { readonly complete: false; readonly data: unknown };

/**
 * The last answer of `useFragment` that was whole. A live change brings a new stage with as much of it as a
 * card shows: a component that vanished until the rest is there would lose what is typed in it.
 */
export function useWhole<T>(fragment: Fragment<T>): T | null {
  const whole = useRef<T | null>(null);
  if (fragment.complete) whole.current = fragment.data;
  return whole.current;
}
