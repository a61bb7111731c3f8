// From a CSV file to applications: which column is what, what each row becomes, and which cells cannot be read.

import Papa from 'papaparse';
import { idOf, newId } from 'trestle-web-kit/api/ids';

import {
  ApplicationStatus,
  CompanyCategory,
  type CreateApplicationInput,
  JobSource,
} from '../gql/graphql';
import { amountProblem, amounts } from '../ui/amounts';
import { withScheme } from '../ui/links';
import { CATEGORY_WORDS, FIELD_WORDS, SOURCE_WORDS, STATUS_WORDS } from '../ui/words';
import { type DateOrder, hasOrder, isoDate, orderOf } from './dates';

/** A field that a column can fill. `id` is the id that the row has here, as in a file that this page has saved. */
export type Target = keyof typeof FIELD_WORDS | 'id';

/**
 * The fields with the headers that people give them, and in the order in which the content of a row names them: both as
 * `trestle import` has them, so that a row is the same application to both.
 */
const HEADERS: Record<Target, readonly string[]> = {
  companyName: ['companyname', 'company', 'employer', 'organization', 'organisation'],
  positionTitle: ['positiontitle', 'jobtitle', 'title', 'position', 'role', 'jobrole', 'job', 'rolename'],
  status: ['status', 'applicationstatus', 'currentstatus', 'stage', 'state', 'outcome'],
  dateApplied: ['dateapplied', 'applieddate', 'appliedon', 'applicationdate', 'datesubmitted', 'applied', 'date'],
  offerDueDate: ['offerduedate', 'offerdeadline', 'offerexpires', 'respondby', 'offerdue', 'deadline'],
  companyUrl: ['companyurl', 'companywebsite', 'website', 'companysite', 'homepage'],
  jobPostingUrl: ['jobpostingurl', 'postingurl', 'joburl', 'jobposting', 'posting', 'joblink', 'applicationlink', 'applicationurl', 'applylink', 'url', 'link'],
  companyCareerUrl: ['companycareerurl', 'careerurl', 'careersurl', 'careerspage', 'careers'],
  companyCategory: ['companycategory', 'category', 'industry', 'sector'],
  jobSource: ['jobsource', 'source', 'foundvia', 'foundon', 'referral', 'howfound'],
  skillsMatch: ['skillsmatch', 'match', 'fit', 'rating', 'score'],
  coverLetterRequired: ['coverletterrequired', 'coverletter', 'coverletterneeded'],
  specialRequirements: ['specialrequirements', 'requirements'],
  notes: ['notes', 'note', 'comments', 'comment', 'remarks'],
  salaryMin: ['salarymin', 'minsalary', 'minimumsalary', 'salaryfrom', 'salarylow', 'salary', 'salaryrange', 'compensation', 'pay'],
  salaryMax: ['salarymax', 'maxsalary', 'maximumsalary', 'salaryto', 'salaryhigh'],
  nextAction: ['nextaction', 'nextstep', 'todo'],
  nextActionDate: ['nextactiondate', 'nextstepdate', 'followupdate', 'followup'],
  id: ['id'],
};

/** The words of a field. */
export function targetWords(target: Target): string {
  return target === 'id' ? 'Id' : FIELD_WORDS[target];
}

const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/iu;
const AMOUNTS = new Set<Target | ''>(['salaryMin', 'salaryMax']);

const DATES = new Set<Target | ''>(['dateApplied', 'offerDueDate', 'nextActionDate']);

/** What people write for a status beside its own words, as `trestle import` understands it. */
const STATUSES_KNOWN: Record<ApplicationStatus, readonly string[]> = {
  UNSUBMITTED: ['notapplied', 'notstarted', 'wishlist', 'saved', 'bookmarked', 'draft', 'todo', 'interested', 'new'],
  APPLIED: ['submitted', 'sent', 'pending', 'inreview', 'underreview', 'waiting', 'active', 'applicationsent'],
  INTERVIEWING: ['interview', 'interviews', 'phonescreen', 'phoneinterview', 'screening', 'onsite', 'inprogress', 'assessment', 'technicalinterview', 'finalround'],
  GIVEN_OFFER: ['offered', 'offerreceived', 'receivedoffer'],
  ACCEPTED_OFFER: ['offeraccepted', 'hired', 'signed'],
  DECLINED_OFFER: ['offerdeclined', 'withdrawn', 'withdrew'],
  NO_OFFER: ['ghosted', 'noresponse', 'noreply'],
  REJECTED: ['rejection', 'denied', 'no', 'closed', 'notselected', 'turneddownbycompany'],
};

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
        (HEADERS[name].includes(plain) || plainOf(words) === plain) &&
        (name !== 'id' || hasIds(at)),
    );
    if (!found) return '';
    taken.add(found.name);
    return found.name;
  });
}

/** What each row of the table becomes. Amounts are in `currency`: what is not, is kept in the notes. */
export function readRows(table: Table, mapping: Mapping, chosen: DateOrder | null, currency: string | null): Row[] {
  const order = chosen ?? orderOf(datesWithOrder(table, mapping));
  const seen = new Set<string>();
  return table.rows.map(({ line, cells }) => {
    const values = new Map<Target, string>();
    mapping.forEach((target, column) => {
      const text = cells[column]?.trim();
      if (target && text) values.set(target, text);
    });
    const name = [values.get('companyName'), values.get('positionTitle')].filter(Boolean).join(', ');
    const parsed = parse(values, order, currency);
    if (typeof parsed === 'string') return { line, kind: 'bad', name, reason: parsed };
    const said = [...values].filter(([target]) => target !== 'id');
    const former = idOf(JSON.stringify(said.toSorted(([one], [other]) => (one < other ? -1 : 1))));
    const whole = `${values.get('id') ?? ''} ${former}`;
    if (seen.has(whole)) return { line, kind: 'twice', name };
    seen.add(whole);
    return { line, kind: 'good', ...parsed, content: contentOf(values), former };
  });
}

/** What a row says, as `trestle import` writes it to derive an id. */
function contentOf(values: ReadonlyMap<Target, string>): string {
  const said = Object.keys(HEADERS).flatMap((name) => {
    const text = isTarget(name) && name !== 'id' ? values.get(name) : undefined;
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
  const left = [...values].flatMap(([target, text]) => put(input, target, text, order, currency) ?? []);
  if (!input.status) input.status = input.dateApplied ? 'APPLIED' : 'UNSUBMITTED';
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
      input.jobSource = choose(JobSource, SOURCE_WORDS, text);
      return input.jobSource ? null : `“${text}” is not a source.`;
    case 'dateApplied':
    case 'nextActionDate':
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
      const found = amounts(text);
      if (!found || amountProblem(text, currency) !== null) {
        // What it is worth in another currency, or in a year, only the person knows.
        input.notes = [input.notes, `${FIELD_WORDS[target]}: ${text}`].filter(Boolean).join('\n');
        return `“${text}” is ${found ? `not in ${currency ?? 'a chosen currency'}` : 'not a whole amount of a year'}: kept in the notes.`;
      }
      input[target] = target === 'salaryMax' ? (found.max ?? found.min) : found.min;
      if (found.max !== null) {
        input.salaryMin ??= found.min;
        input.salaryMax ??= found.max;
      }
      return null;
    }
    case 'coverLetterRequired': {
      const known = { yes: true, true: true, y: true, '1': true, no: false, false: false, n: false, '0': false };
      const found = Object.entries(known).find(([word]) => word === text.toLowerCase());
      if (!found) return `“${text}” is neither yes nor no.`;
      input.coverLetterRequired = found[1];
      return null;
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
