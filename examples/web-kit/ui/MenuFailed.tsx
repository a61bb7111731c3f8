// The button of a menu that could not be loaded: a notice says so, and pressing it again tries again.

import { type ReactNode, useEffect, useRef } from 'react';

import { useNotices } from './notices';
import type { Failure } from './part';

export function MenuFailed({ newer, again, children }: Failure & { children: ReactNode }) {
  const notices = useNotices();
  const latest = useRef(again);
  latest.current = again;
  useEffect(
    () =>
      newer
        ? notices.warn('A new version is there.', { label: 'Reload', run: () => window.location.reload() })
        : notices.warn('The menu could not be loaded.', { label: 'Try again', run: () => latest.current() }),
    [notices, newer],
  );
  return <span onClick={again}>{children}</span>;
}
