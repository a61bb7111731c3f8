// Where the person is, kept behind the address's `#`, so that any server can serve the page from
// one file and a link to an application or to a filtered board can be shared.

import { useEffect, useSyncExternalStore } from 'react';

/** What is open, with the filter that stays while one moves about. */
export interface Route {
  readonly page: 'board' | 'agenda' | 'insight' | 'table';
  readonly dialog: 'import' | 'add' | null;
  /** The id of the application that is open. */
  readonly application: string | null;
  readonly filter: URLSearchParams;
}

/** The page below what is open. */
let below: 'board' | 'agenda' | 'table' = 'board';

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/** Where the person is now. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  const [path = '', query = ''] = hash.replace(/^#/u, '').split('?');
  const [, first, second] = path.split('/');
  // What opens over a page leaves it open.
  if (first !== 'applications' && first !== 'import' && first !== 'add') {
    below = first === 'table' || first === 'agenda' ? first : 'board';
  }
  return {
    page: first === 'insight' ? 'insight' : below,
    dialog: first === 'import' || first === 'add' ? first : null,
    application: first === 'applications' && second ? decoded(second) : null,
    filter: new URLSearchParams(query),
  };
}

/** A part of the address as it was meant; as it stands where it was cut off. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a place, with the filter kept. */
export function href(path: string, filter?: URLSearchParams): string {
  const query = (filter ?? currentFilter()).toString();
  return `#${path}${query ? `?${query}` : ''}`;
}

/** Goes back from what is closed, which the way back through the history then does not open again. */
export function close(): void {
  window.location.replace(href(below === 'board' ? '/' : `/${below}`));
}

/** Names the place in the browser's tabs and history, while it is there. */
export function useTitle(name: string | null | undefined): void {
  useEffect(() => {
    if (!name) return undefined;
    const before = document.title;
    document.title = `${name} – Board`;
    return () => {
      document.title = before;
    };
  }, [name]);
}

/** Sets the filter without leaving a step in the browser's history for every letter. */
export function replaceFilter(filter: URLSearchParams): void {
  const [path = '#/'] = (window.location.hash || '#/').split('?');
  const query = filter.toString();
  window.history.replaceState(null, '', `${path}${query ? `?${query}` : ''}`);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

function currentFilter(): URLSearchParams {
  return new URLSearchParams(window.location.hash.split('?')[1] ?? '');
}
