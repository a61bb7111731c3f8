// Where the saved views are kept: in this browser.

const PLACE = 'trestle-board-views';

/** A page with its filter, order and columns, under a name. */
export interface View {
  readonly name: string;
  /** The part of the address behind the `#`, with it. */
  readonly place: string;
}

/** Where the person is, as a view keeps it. */
export function placeOf(): string {
  const [path = '', query = ''] = window.location.hash.split('?');
  const params = new URLSearchParams(query);
  params.sort();
  const page = path === '#/table' ? path : '#/';
  const rest = params.toString();
  return rest ? `${page}?${rest}` : page;
}

export function readViews(): readonly View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(PLACE) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return [];
  }
}

/** Keeps these views, and answers whether the browser does. */
export function keepViews(views: readonly View[]): boolean {
  try {
    localStorage.setItem(PLACE, JSON.stringify(views));
    return true;
  } catch {
    return false;
  }
}

function isView(value: unknown): value is View {
  if (typeof value !== 'object' || value === null || !('name' in value && 'place' in value)) return false;
  return typeof value.name === 'string' && typeof value.place === 'string' && value.place.startsWith('#/');
}
