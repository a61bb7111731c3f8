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

/** Prints a table with a title, and nothing else of the page. */
export function printTable(title: string, header: readonly string[], rows: readonly (readonly string[])[]): void {
  document.querySelector('.printed')?.remove();
  const place = document.createElement('section');
  place.className = 'printed';
  const heading = document.createElement('h1');
  heading.textContent = title;
  const table = document.createElement('table');
  const line = (cells: readonly string[], kind: 'th' | 'td') => {
    const row = document.createElement('tr');
    for (const text of cells) {
      const cell = document.createElement(kind);
      cell.textContent = text;
      cell.dir = 'auto';
      row.append(cell);
    }
    return row;
  };
  table.createTHead().append(line(header, 'th'));
  table.createTBody().append(...rows.map((cells) => line(cells, 'td')));
  place.append(heading, table);
  document.body.append(place);
  window.addEventListener('afterprint', () => place.remove(), { once: true });
  window.print();
}
