// What the table shows and how it is sorted, as the address holds it: a link or a saved view brings all of it.

import { NEWEST_FIRST } from '../api/lists';
import { type ApplicationSort, SortDirection } from '../gql/graphql';
import { enumValue } from '../ui/words';
import { type Column, COLUMNS } from './Row';

/** The columns that this browser showed last, for addresses that name none. */
const PLACE = 'trestle-board-columns';

/** The order in the address; the last change first without one. */
export function sortIn(params: URLSearchParams): ApplicationSort {
  const [, by, end = ''] = /^([A-Z_]+)_(ASC|DESC)$/u.exec(params.get('sort') ?? '') ?? [];
  const field = COLUMNS.find(({ sort }) => sort === by)?.sort;
  const direction = enumValue(SortDirection, end);
  return field && direction ? { field, direction } : NEWEST_FIRST;
}

/** The columns in the address, or those that were shown last. The company, which opens the application, is always there. */
export function columnsIn(params: URLSearchParams): readonly Column[] {
  const chosen = (params.get('columns') ?? localStorage.getItem(PLACE) ?? '').split(',');
  const known = COLUMNS.filter(({ name }) => chosen.includes(name));
  if (known.length === 0) return COLUMNS.filter(({ extra }) => !extra);
  return COLUMNS.filter((column) => column.name === 'company' || known.includes(column));
}

/** The address with these columns, which this browser shows from now on. */
export function withColumns(params: URLSearchParams, columns: readonly Column[]): URLSearchParams {
  const names = columns.map(({ name }) => name).join(',');
  const usual = COLUMNS.filter(({ extra }) => !extra).map(({ name }) => name).join(',');
  const next = new URLSearchParams(params);
  next.delete('columns');
  if (names !== usual) next.set('columns', names);
  if (names === usual) localStorage.removeItem(PLACE);
  else localStorage.setItem(PLACE, names);
  return next;
}
