// From a CSV file to applications: which column is what, what each row becomes, and which cells cannot be read.

import Papa from 'papaparse';
import { idOf, newId } from 'trestle-web-kit/api/ids';

import {
  ApplicationStatus,
  CompanyCategory,
  type CreateApplicationInput,
  JobSource,
  SalaryPeriod,
} from '../gql/graphql';
import { amountProblem, amounts, currencyOf } from '../ui/amounts';
import { withScheme } from '../ui/links';
import { PERIOD_WORDS } from '../ui/money';
import { tagProblem, tagsIn } from '../ui/tagLine';
import { CATEGORY_WORDS, FIELD_WORDS, SOURCE_WORDS, STATUS_WORDS } from '../ui/words';
import { type DateOrder, hasOrder, isoDate, orderOf } from './dates';
import { HEADERS, MORE, PERIODS_KNOWN, SOURCES_KNOWN, STATUSES_KNOWN, type Target } from './known';

/** The words of a field. */
export function targetWords(target: Target): string {
  return target === 'id' ? 'Id' : FIELD_WORDS[target];
}

/** Without these there is no application. */
const NEEDED = ['companyName', 'positionTitle'] as const satisfies readonly Target[];

const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/iu;
const AMOUNTS = new Set<Target | ''>(['salaryMin', 'salaryMax']);

const DATES = new Set<Target | ''>(['dateApplied', 'offerDueDate', 'nextActionDate', 'closingDate']);

/** The most letters of a posting's text. */
const POSTING = 10_000;

/** What is offered for each column. */
export const TARGETS = Object.keys(HEADERS).flatMap((name) =>
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

/** A row with what the import makes of it. */
export type Row =
  | {
      readonly line: number;
      readonly kind: 'good';
      readonly input: CreateApplicationInput;
      /** What the row says, by which it is known again. */
      readonly content: string;
      /** The id under which an earlier release of this page has stored it. */
      readonly former: string;
      /** What is wrong with cells that are left out. */
      readonly left: readonly string[];
    }
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

/** The dates of a file whose day depends on what comes first in them. */
export function datesWithOrder({ rows }: Table, mapping: Mapping): string[] {
  return rows.flatMap(({ cells }) =>
    mapping.flatMap((target, column) => {
      const text = cells[column]?.trim() ?? '';
      return DATES.has(target) && hasOrder(text) ? [text] : [];
    }),
  );
}

/** The amounts of a file, which may name a currency. */
export function amountsIn({ rows }: Table, mapping: Mapping): string[] {
  return rows.flatMap(({ cells }) =>
    mapping.flatMap((target, column) => (AMOUNTS.has(target) && cells[column]?.trim()) || []),
  );
}

function plainOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/gu, '');
}

/** The fields that the columns' names speak of, each once. Many lists have ids of another kind. */
export function guess({ columns, rows }: Table): Mapping {
  const taken = new Set<Target>();
  const hasIds = (column: number) => rows.every(({ cells }) => UUID.test(cells[column]?.trim() || newId()));
  return columns.map((column, at) => {
    const plain = plainOf(column);
    const found = TARGETS.find(
      ({ name, words }) =>
        !taken.has(name) &&
        (HEADERS[name].includes(plain) || MORE[name]?.includes(plain) || plainOf(words) === plain) &&
        (name !== 'id' || hasIds(at)),
    );
    if (!found) return '';
    taken.add(found.name);
    return found.name;
  });
}

/** Whether a column is known by a header, or fills a field, that the first releases did not know. */
function isLater(target: Target, column: string): boolean {
  return HEADERS[target].length === 0 || (MORE[target]?.includes(plainOf(column)) ?? false);
}

/** What each row of the table becomes. Amounts that name no currency are in `currency`. */
export function readRows(table: Table, mapping: Mapping, chosen: DateOrder | null, currency: string | null): Row[] {
  const order = chosen ?? orderOf(datesWithOrder(table, mapping));
  const seen = new Set<string>();
  const columnOf = (target: Target) => table.columns[mapping.indexOf(target)] ?? '';
  // As `trestle import`: a file that the first releases took has the ids that it had then.
  const isOld = NEEDED.every((target) => mapping.includes(target) && !isLater(target, columnOf(target)));
  return table.rows.map(({ line, cells }) => {
    const values = new Map<Target, string>();
    mapping.forEach((target, column) => {
      const text = cells[column]?.trim();
      if (target && text) values.set(target, text);
    });
    const name = NEEDED.map((target) => values.get(target)).filter(Boolean).join(', ');
    const parsed = parse(values, order, currency);
    if (typeof parsed === 'string') return { line, kind: 'bad', name, reason: parsed };
    const counts = ([target]: [Target, string]) =>
      target !== 'id' && HEADERS[target].length > 0 && !(isOld && isLater(target, columnOf(target)));
    const said = [...values].filter(counts);
    const former = idOf(JSON.stringify(said.toSorted(([one], [other]) => (one < other ? -1 : 1))));
    const whole = JSON.stringify([...values]);
    if (seen.has(whole)) return { line, kind: 'twice', name };
    seen.add(whole);
    return { line, kind: 'good', ...parsed, content: contentOf(new Map(said)), former };
  });
}

/** What a row says, as `trestle import` writes it to derive an id. */
function contentOf(values: ReadonlyMap<Target, string>): string {
  const said = Object.keys(HEADERS).flatMap((name) => {
    const text = isTarget(name) ? values.get(name) : undefined;
    return text === undefined ? [] : [`${name}=${text}`];
  });
  return said.join('\n');
}

/** The input for the API and what is wrong with cells that it leaves out, or why there is none. The API checks the rest. */
function parse(
  values: ReadonlyMap<Target, string>,
  order: DateOrder | null,
  currency: string | null,
): { readonly input: CreateApplicationInput; readonly left: readonly string[] } | string {
  const companyName = values.get('companyName');
  const positionTitle = values.get('positionTitle');
  if (!companyName) return 'There is no company.';
  if (!positionTitle) return 'There is no position.';
  const id = values.get('id');
  if (id && !UUID.test(id)) return `“${id}” is not an id.`;
  const input: CreateApplicationInput = { companyName, positionTitle };
  // What an amount is in, before the amount.
  const first = ([target]: [Target, string]) => (target === 'salaryCurrency' || target === 'salaryPeriod' ? 0 : 1);
  const cells = [...values].toSorted((one, other) => first(one) - first(other));
  const left = cells.flatMap(([target, text]) => put(input, target, text, order, currency) ?? []);
  if (!input.status) input.status = values.has('dateApplied') ? 'APPLIED' : 'UNSUBMITTED';
  // A date that cannot be read is unknown, and not today.
  if (values.has('dateApplied')) input.dateApplied ??= null;
  if (input.status === 'UNSUBMITTED') delete input.dateApplied;
  return { input, left };
}

/** Sets the field, or answers what is wrong with the text. */
function put(
  input: CreateApplicationInput,
  target: Target,
  text: string,
  order: DateOrder | null,
  currency: string | null,
): string | null {
  switch (target) {
    case 'status':
      input.status = choose(ApplicationStatus, STATUS_WORDS, text, STATUSES_KNOWN);
      return input.status ? null : `“${text}” is not a status.`;
    case 'companyCategory':
      input.companyCategory = choose(CompanyCategory, CATEGORY_WORDS, text);
      return input.companyCategory ? null : `“${text}” is not a category.`;
    case 'jobSource':
      input.jobSource = choose(JobSource, SOURCE_WORDS, text, SOURCES_KNOWN);
      return input.jobSource ? null : `“${text}” is not a source.`;
    case 'dateApplied':
    case 'nextActionDate':
    case 'closingDate':
    case 'offerDueDate': {
      const date = isoDate(text, order);
      if (!date && !order && hasOrder(text)) return `“${text}” can be two days.`;
      if (!date) return `“${text}” is not a date: write 2026-11-20.`;
      input[target] = date;
      return null;
    }
    case 'skillsMatch': {
      const match = /^([1-5])(?:\s*\/\s*5)?$/u.exec(text)?.[1];
      if (!match) return `“${text}” is not a match of 1 to 5.`;
      input.skillsMatch = Number(match);
      return null;
    }
    case 'salaryMin':
    case 'salaryMax': {
      const problem = putAmount(input, target, text, currency);
      // What it is worth in another currency, or in a year, only the person knows.
      if (problem) input.notes = [input.notes, `${FIELD_WORDS[target]}: ${text}`].filter(Boolean).join('\n');
      return problem;
    }
    case 'salaryCurrency': {
      const code = text.toUpperCase();
      if (!/^[A-Z]{3}$/u.test(code)) return `“${text}” is not a currency: write its code, such as EUR.`;
      input.salaryCurrency = code;
      return null;
    }
    case 'salaryPeriod':
      input.salaryPeriod = choose(SalaryPeriod, PERIOD_WORDS, text, PERIODS_KNOWN);
      return input.salaryPeriod ? null : `“${text}” is none of a year, a month, a day and an hour.`;
    case 'isRemote': {
      const plain = plainOf(text);
      if (['remote', 'fullyremote', 'remotefirst'].includes(plain)) input.isRemote = true;
      else if (['onsite', 'inoffice', 'office', 'inperson'].includes(plain)) input.isRemote = false;
      else input.isRemote = yes(text);
      return input.isRemote === null ? `“${text}” is neither remote nor on site.` : null;
    }
    case 'tags':
      input.tags = tagsIn(text);
      return tagProblem(text);
    case 'postingText':
      input.postingText = text.slice(0, POSTING);
      return text.length > POSTING ? 'The posting is longer than 10,000 characters: its beginning is kept.' : null;
    case 'coverLetterRequired': {
      input.coverLetterRequired = yes(text);
      return input.coverLetterRequired === null ? `“${text}” is neither yes nor no.` : null;
    }
    case 'jobPostingUrl':
    case 'companyUrl':
    case 'companyCareerUrl': {
      // As it is written, but for its scheme: by it the row is known again.
      const whole = withScheme(text);
      const url = URL.parse(whole);
      if (!url || !/^https?:$/u.test(url.protocol) || !url.hostname.includes('.')) return `“${text}” is not a web address.`;
      input[target] = whole;
      return null;
    }
    case 'notes':
      // An amount that could not be read may stand there already.
      input.notes = [text, input.notes].filter(Boolean).join('\n');
      return null;
    default:
      input[target] = text;
      return null;
  }
}

/** Sets an end of the salary, or both, with what it is in; or answers why it is kept in the notes. */
function putAmount(
  input: CreateApplicationInput,
  target: 'salaryMin' | 'salaryMax',
  text: string,
  currency: string | null,
): string | null {
  const found = amounts(text);
  const named = found?.currencies;
  // Of all that a sign can mean, that of the file.
  const code = named && !(currency && named.includes(currency)) ? currencyOf(found) : (input.salaryCurrency ?? currency);
  if (!found) return `“${text}” is not a whole amount: kept in the notes.`;
  const agreed = { currency: input.salaryCurrency ?? code, period: input.salaryPeriod ?? null };
  if (amountProblem(text, agreed) !== null) {
    return `“${text}” is not in ${agreed.currency ?? 'one currency'}${agreed.period ? ` or not for ${PERIOD_WORDS[agreed.period]}` : ''}: kept in the notes.`;
  }
  if (agreed.currency !== null) input.salaryCurrency = agreed.currency;
  if (found.period !== null) input.salaryPeriod = found.period;
  input[target] = target === 'salaryMax' ? (found.max ?? found.min) : found.min;
  if (found.max !== null) {
    input.salaryMin ??= found.min;
    input.salaryMax ??= found.max;
  }
  return null;
}

function yes(text: string): boolean | null {
  const known = { yes: true, true: true, y: true, '1': true, no: false, false: false, n: false, '0': false };
  return Object.entries(known).find(([word]) => word === text.toLowerCase())?.[1] ?? null;
}

function choose<T extends string>(
  values: Record<string, T>,
  words: Record<T, string>,
  text: string,
  known?: Record<T, readonly string[]>,
): T | null {
  const spoken = (value: T) => [plainOf(value), plainOf(words[value]), ...(known?.[value] ?? [])];
  return Object.values(values).find((value) => spoken(value).includes(plainOf(text))) ?? null;
}

function isTarget(name: string): name is Target {
  return name in HEADERS;
}
