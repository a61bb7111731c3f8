// What was last shown of each shareable, kept in the browser: a page that opens without a network shows it.

import { createStore, del, get, set } from 'idb-keyval';
import { APP } from 'trestle-web-kit/app';

import type { ShareableQuery } from '../gql/graphql';

const store = createStore(`${APP}-shown`, 'shareables');

/** Keeps what is shown, in place of what was before. */
export function keepShown(shortId: string, data: ShareableQuery): void {
  // A browser that stores nothing shows nothing without a network.
  set(shortId, data, store).catch(() => {});
}

/** Forgets what was shown: it was deleted, or nothing of this browser opens it any more. */
export function forgetShown(shortId: string): void {
  del(shortId, store).catch(() => {});
}

export function readShown(shortId: string): Promise<ShareableQuery | undefined> {
  return get<ShareableQuery>(shortId, store);
}
