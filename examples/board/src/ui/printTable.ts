// Printing a table that is not in the document.

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
