// Keeps the board's lists and totals in step with what is known of an application, without asking
// the server again: who moved a card, here or in another browser, makes no difference.

import type { ApolloCache, DocumentNode, FieldFunctionOptions, Reference } from '@apollo/client';

import { graphql } from '../gql';
import type { ApplicationFilter, ApplicationSort, ApplicationStatus, PlacedFragment, SearchedFragment } from '../gql/graphql';
import { held, idOf, type StoredEdge, type StoredList } from './paging';
import { hiddenIds, pendingIds } from './pending';

/** What decides in which lists an application is, and where. */
export const Placed = graphql(`
  fragment Placed on Application {
    id
    version
    status
    isArchived
    updatedAt
    companyName
    positionTitle
    companyCategory
    jobSource
    skillsMatch
    dateApplied
    nextAction
    nextActionDate
    salaryMin
    salaryMax
    salaryCurrency
    tags
    location
    isRemote
  }
`);

/** The names of the fields of a fragment. */
export function namesOf({ definitions }: DocumentNode): string[] {
  return definitions.flatMap((definition) =>
    'selectionSet' in definition ? definition.selectionSet.selections.flatMap((field) => ('name' in field ? field.name.value : [])) : [],
  );
}

export const PLACED = namesOf(Placed);

/** What a search looks at besides; the cache has it of those that were opened or changed. */
const Searched = graphql(`
  fragment Searched on Application {
    id
    notes
  }
`);

/** What the cache holds of an application, with changes that are still on their way. */
export function readPlaced(cache: ApolloCache, id: string): PlacedFragment | null {
  const from = cache.identify({ __typename: 'Application', id });
  return cache.readFragment({ fragment: Placed, id: from, optimistic: true });
}

/** What the cache holds of an application without changes that are still on their way: what the server has said last. */
export function readStored(cache: ApolloCache, id: string): PlacedFragment | null {
  const shown = readPlaced(cache, id);
  return shown && { ...shown, ...storedFields(cache, id, PLACED) };
}

/** These fields of an application as they are stored, if it is. */
export function storedFields(cache: ApolloCache, id: string, names: readonly string[]): Readonly<Record<string, unknown>> {
  const stored: Record<string, unknown> = {};
  const keep = (name: string) => (value: unknown) => {
    stored[name] = value;
    return value;
  };
  cache.modify({
    id: cache.identify({ __typename: 'Application', id }),
    fields: Object.fromEntries(names.map((name) => [name, keep(name)])),
    // Nothing changes by it.
    broadcast: false,
  });
  return stored;
}

/** Newest version of each application that the totals have counted, in the order in which they were. */
const counted = new Map<string, number>();
/** How often something was counted, and at which time each application was last. */
let changes = 0;
const changedAt = new Map<string, number>();
/** The applications that were deleted. */
const deleted = new Set<string>();

/** The newest version of an application that this page knows of. */
export function newestOf(id: string): number {
  return counted.get(id) ?? 0;
}

/** A moment, to ask later what has changed since. */
export function now(): number {
  return changes;
}

/** The applications that have changed since a moment. */
export function changedSince(moment: number): string[] {
  return [...changedAt].flatMap(([id, at]) => (at > moment ? [id] : []));
}

export function isDeleted(id: string): boolean {
  return deleted.has(id);
}

/**
 * To be called after an application was written into the cache: puts what is stored of it where it belongs in all lists.
 * `before` is what it was; empty if nothing was known of it.
 */
export function settle(
  cache: ApolloCache,
  before: PlacedFragment | null,
  written: { readonly id: string } | null | undefined,
): void {
  // What was written reads as what is shown, which a change that is on its way decides.
  const after = written && readStored(cache, written.id);
  if (!after) return;
  place(cache, before, after);
  if ((counted.get(after.id) ?? 0) >= after.version) return;
  counted.set(after.id, after.version);
  changes += 1;
  changedAt.set(after.id, changes);
  if (before) count(cache, before, -1);
  count(cache, after, 1);
}

/** A total with the cards that show something else than what is stored where they are shown. */
export function totalShown(
  total: number,
  { cache, readField }: Pick<FieldFunctionOptions, 'cache' | 'readField'>,
  isArchived: boolean,
): number {
  const status = readField('status');
  let shown = total;
  const hidden = hiddenIds();
  for (const id of pendingIds()) {
    const isHere = (one: Readonly<Record<string, unknown>>) => one['status'] === status && one['isArchived'] === isArchived;
    const stored = storedFields(cache, id, ['status', 'isArchived']);
    const now = readPlaced(cache, id);
    if (now) shown += Number(!hidden.has(id) && isHere({ ...now })) - Number(isHere(stored));
  }
  return Math.max(0, shown);
}

/** A list with the cards that show something else than what is stored where they belong by what they show. */
export function asShown(
  list: StoredList<ApplicationFilter>,
  { readField, toReference }: Pick<FieldFunctionOptions, 'readField' | 'toReference'>,
): StoredList<ApplicationFilter> {
  const hidden = hiddenIds();
  let shown = without(list, hidden);
  for (const id of pendingIds()) {
    if (hidden.has(id)) continue;
    const own = toReference({ __typename: 'Application', id });
    const version = own && readField<number>('version', own);
    if (!own || version === undefined) continue;
    const value = (name: string) => readField(name, own) ?? null;
    const application = Object.fromEntries(PLACED.map((name) => [name, value(name)])) as unknown as PlacedFragment;
    const notes = readField<string | null>('notes', own);
    const searched = notes === undefined ? null : ({ id, notes } as SearchedFragment);
    shown = placed(shown, own, { before: null, application, searched });
  }
  return shown;
}

/** A list without what has these ids. */
function without<List extends StoredList>(list: List, ids: ReadonlySet<string>): List {
  if (ids.size === 0) return list;
  const edges = list.edges.filter(({ node }) => !ids.has(idOf(node) ?? ''));
  const gone = list.edges.length - edges.length;
  return gone === 0 ? list : { ...list, ...total(list, edges, -gone), edges };
}

/** Takes a deleted application out of everything; `before` is empty if nothing is known of it but its id. */
export function forget(cache: ApolloCache, application: string, before: PlacedFragment | null): void {
  deleted.add(application);
  if (before) count(cache, before, -1);
  const id = cache.identify({ __typename: 'Application', id: application });
  cache.modify<{ applications: StoredList<ApplicationFilter> }>({
    fields: {
      applications: (list) => without(list as StoredList<ApplicationFilter>, new Set([application])),
    },
  });
  cache.evict({ id });
  cache.gc();
}

function count(cache: ApolloCache, application: PlacedFragment, by: 1 | -1): void {
  const id = cache.identify({ __typename: 'StatusCount', status: application.status });
  const field = application.isArchived ? 'archived' : 'active';
  cache.modify<{ active: number; archived: number }>({
    id,
    fields: { [field]: (value: number) => Math.max(0, value + by) },
  });
}

/**
 * The total of a list that has these edges now. A list that is loaded whole shows it: the total that came with its edges may
 * be of a moment later, with a change that is still on its way.
 */
function total(stored: StoredList, edges: readonly StoredEdge[], by: number): { totalCount?: number } {
  if (typeof stored.totalCount !== 'number') return {};
  return { totalCount: stored.pageInfo.hasNextPage ? Math.max(edges.length, stored.totalCount + by) : edges.length };
}

function place(cache: ApolloCache, before: PlacedFragment | null, application: PlacedFragment): void {
  const id = cache.identify({ __typename: 'Application', id: application.id });
  if (!id) return;
  const own: Reference = { __ref: id };
  const searched = cache.readFragment({ fragment: Searched, id, optimistic: true });
  cache.modify<{ applications: StoredList<ApplicationFilter> }>({
    fields: {
      applications: (list) => placed(list as StoredList<ApplicationFilter>, own, { before, application, searched }),
    },
  });
}

interface Placing {
  readonly before: PlacedFragment | null;
  readonly application: PlacedFragment;
  readonly searched: SearchedFragment | null;
}

/** A list with an application where it belongs in it, or without it. */
function placed(
  stored: StoredList<ApplicationFilter>,
  own: Reference,
  { before, application, searched }: Placing,
): StoredList<ApplicationFilter> {
  const others = stored.edges.filter((edge) => edge.node?.__ref !== own.__ref);
  const was = stored.edges.length - others.length;
  const isListed = (one: PlacedFragment) => fits(stored.filter ?? {}, one, searched ?? was === 1);
  // What is not loaded may be in the list all the same.
  const counted = was === 1 || (stored.pageInfo.hasNextPage && before !== null && isListed(before));
  const by = (isIn: 0 | 1) => isIn - Number(counted);
  if (!isListed(application)) return counted ? { ...stored, ...total(stored, others, by(0)), edges: others } : stored;
  // In another order than by update it stays where it is until the list is read again.
  if (stored.sortBy && sortText(stored.sortBy) !== sortText(NEWEST_FIRST)) return stored;
  const after = others.findIndex(({ at }) => at !== undefined && at <= application.updatedAt);
  // After everything that is loaded: a page to come brings it.
  if (after < 0 && stored.pageInfo.hasNextPage) return { ...stored, ...total(stored, others, by(1)), edges: others };
  held(stored, own.__ref);
  const edge: StoredEdge = { __typename: 'ApplicationEdge', node: own, at: application.updatedAt };
  const at = after < 0 ? others.length : after;
  const edges = [...others.slice(0, at), edge, ...others.slice(at)];
  return { ...stored, ...total(stored, edges, by(1)), edges };
}

/**
 * Whether a list with `filter` holds the application, as the schema describes the filter. While its notes are not known, what
 * a search found stays found: who renames an application or changes its notes, brings them.
 */
export function fits(filter: ApplicationFilter, application: PlacedFragment, searched: SearchedFragment | boolean): boolean {
  const archived = filter.archived ?? 'EXCLUDE';
  if (archived !== 'INCLUDE' && (archived === 'ONLY') !== application.isArchived) return false;
  const notes = typeof searched === 'boolean' ? null : searched.notes;
  return (
    isAmong(filter.statuses, application.status) &&
    isAmong(filter.companyCategories, application.companyCategory) &&
    isAmong(filter.jobSources, application.jobSource) &&
    (application.skillsMatch ?? 0) >= (filter.minSkillsMatch ?? 0) &&
    overlaps(filter.dateApplied, application.dateApplied, application.dateApplied) &&
    overlaps(filter.nextActionDate, application.nextActionDate, application.nextActionDate) &&
    overlaps(filter.salary, application.salaryMin, application.salaryMax) &&
    isAmong(filter.salary?.currency && [filter.salary.currency], application.salaryCurrency) &&
    isAmong(filter.tags?.map(folded), null, application.tags?.map(folded)) &&
    (filter.isRemote ?? application.isRemote) === application.isRemote &&
    hasWords(filter.location, application.location ?? '') &&
    (searched === true || hasWords(filter.text, searchedText(application, notes)))
  );
}

/** What a list is searched for: what its cards show, and the notes. */
export function searchedText(
  { companyName, positionTitle, nextAction, tags, location }: Pick<PlacedFragment, 'companyName' | 'positionTitle' | 'nextAction' | 'tags' | 'location'>,
  notes: string | null,
): string {
  return [companyName, positionTitle, notes, nextAction, tags?.join(', '), location].join('\n');
}

/** Whether a range that is open at missing ends, but not at both, overlaps the one that is asked for. */
function overlaps<T extends string | number>(
  wanted: { readonly from?: T | null; readonly to?: T | null } | null | undefined,
  from: T | null,
  to: T | null,
): boolean {
  const { from: least = null, to: most = null } = wanted ?? {};
  if (least === null && most === null) return true;
  if (from === null && to === null) return false;
  return !(least !== null && to !== null && to < least) && !(most !== null && from !== null && from > most);
}

/** A text as the search compares it: without case and accents. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Whether every word of `wanted` is in a text. */
export function hasWords(wanted: string | null | undefined, text: string): boolean {
  const words = folded(wanted ?? '').split(/\s+/u).filter(Boolean);
  return words.every((word) => folded(text).includes(word));
}

function isAmong<T>(wanted: readonly T[] | '' | null | undefined, value: T | null | undefined, values?: readonly T[]): boolean {
  if (!wanted || wanted.length === 0) return true;
  if (values) return values.some((one) => wanted.includes(one));
  return value !== null && value !== undefined && wanted.includes(value);
}

/** The last change first. */
export const NEWEST_FIRST: ApplicationSort = { field: 'UPDATED_AT', direction: 'DESC' };

/** An order as an address has it. */
export function sortText({ field, direction }: ApplicationSort): string {
  return `${field}_${direction}`;
}

/** The statuses in which nothing more is to be done. */
export const CLOSED: readonly ApplicationStatus[] = ['ACCEPTED_OFFER', 'DECLINED_OFFER', 'NO_OFFER', 'REJECTED'];

/** The statuses in the order in which an application usually takes them. */
export const STATUSES: readonly ApplicationStatus[] = [
  'UNSUBMITTED',
  'APPLIED',
  'INTERVIEWING',
  'GIVEN_OFFER',
  'ACCEPTED_OFFER',
  'DECLINED_OFFER',
  'NO_OFFER',
  'REJECTED',
];
