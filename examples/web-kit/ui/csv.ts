// Files that the page makes for the person to keep.

/**
 * Rows as a spreadsheet reads them: umlauts by the byte order mark. A cell that a spreadsheet would run as a formula is marked
 * as text.
 */
export function csv(rows: readonly (readonly (string | number | null)[])[]): string {
  const cell = (value: string | number | null) => {
    if (value === null) return '';
    const text = typeof value === 'string' && /^[=+\-@\t\r]/u.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `\uFEFF${rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`;
}

/** Marks a text as UTF-8 for Excel, which takes it for the encoding of the computer otherwise. */
const BYTE_ORDER_MARK = '\ufeff';

/** Lets the browser save a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([type === 'text/csv' ? BYTE_ORDER_MARK : '', text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
