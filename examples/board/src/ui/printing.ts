// Printing more than what is in the document: a long list holds only the rows in sight.

import { useEffect, useRef } from 'react';

/** Runs instead of the browser's own printing when its key is pressed, unless a dialog is open: that prints itself. */
export function usePrintKey(run: () => Promise<void>): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'p' || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return;
      if (document.querySelector('[role="dialog"]')) return;
      event.preventDefault();
      latest.current().catch(() => window.print());
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}
