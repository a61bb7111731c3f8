// From a CSV file to the rows of an import: the server reads what they say, by the rules of `trestle import`.

import Papa from 'papaparse';

import { FIELD_WORDS } from '../ui/words';

/** A field that a column can fill. `id` is the id that the row has here, as in a file that this page has saved. */
export type Target = keyof typeof FIELD_WORDS | 'id';

/** The words of a field. */
export function targetWords(target: Target): string {
  return target === 'id' ? 'Id' : FIELD_WORDS[target];
}

/** Without these there is no application. */
const NEEDED = ['companyName', 'positionTitle'] as const satisfies readonly Target[];

const AMOUNTS = new Set<Target | ''>(['salaryMin', 'salaryMax']);

/** What is offered for each column. */
export const TARGETS = [...Object.keys(FIELD_WORDS), 'id'].flatMap((name) =>
  isTarget(name) ? [{ name, words: targetWords(name) }] : [],
);

/** Which column fills which field; a column of no use has an empty text. */
export type Mapping = readonly (Target | '')[];

/** A file as it was read. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
  /** The line of a quotation mark that has no other: all that follows it is one cell. */
  readonly unclosed: number | null;
}

/** A row of the file. */
export type Row =
  | { readonly line: number; readonly kind: 'good'; readonly name: string; readonly cells: readonly string[] }
  | { readonly line: number; readonly kind: 'bad'; readonly name: string; readonly reason: string }
  | { readonly line: number; readonly kind: 'twice'; readonly name: string };

/** Reads CSV with any usual separator; the first line names the columns. */
export function readTable(text: string): Table {
  const { data, errors } = Papa.parse<string[]>(text.replace(/^\uFEFF/u, ''));
  let line = 1;
  const lines = data.map((cells) => {
    const at = line;
    // A cell in quotes can hold lines of its own.
    line += cells.join('').split('\n').length;
    return { line: at, cells };
  });
  const unclosed = errors.find(({ code }) => code === 'MissingQuotes');
  const [header, ...rows] = lines.filter(({ cells }) => cells.some((cell) => cell.trim()));
  return {
    columns: header?.cells.map((name) => name.trim()) ?? [],
    rows,
    unclosed: unclosed ? (lines[unclosed.row ?? 0]?.line ?? 1) : null,
  };
}

/** The text of a file: UTF-8 or UTF-16, and otherwise what older spreadsheets write. */
export async function readText(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The texts of a column, each once. */
export function textsOf({ rows }: Table, column: number): string[] {
  return [...new Set(rows.flatMap(({ cells }) => cells[column]?.trim() || []))];
}

/** The amounts of a file, which may name a currency. */
export function amountsIn({ rows }: Table, mapping: Mapping): string[] {
  return rows.flatMap(({ cells }) =>
    mapping.flatMap((target, column) => (AMOUNTS.has(target) && cells[column]?.trim()) || []),
  );
}

/** What each row of the table is. */
export function readRows(table: Table, mapping: Mapping): Row[] {
  const seen = new Set<string>();
  return table.rows.map(({ line, cells }) => {
    const of = (target: Target) => cells[mapping.indexOf(target)]?.trim() ?? '';
    const name = NEEDED.map(of).filter(Boolean).join(', ');
    if (!of('companyName')) return { line, kind: 'bad', name, reason: 'There is no company.' };
    if (!of('positionTitle')) return { line, kind: 'bad', name, reason: 'There is no position.' };
    const used = mapping.map((target, column) => (target ? (cells[column]?.trim() ?? '') : ''));
    const whole = JSON.stringify(used);
    if (seen.has(whole)) return { line, kind: 'twice', name };
    seen.add(whole);
    return { line, kind: 'good', name, cells: used };
  });
}

export function isTarget(name: string): name is Target {
  return name === 'id' || name in FIELD_WORDS;
}
