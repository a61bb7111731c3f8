// Whether the server serves another release of the page than the one that runs in this tab: the files of the one that
// runs are gone then, and what was not loaded yet cannot be.

import { listeners } from './listeners';

/** The script that a page loads first. Its name holds a hash of what it loads. A page of somebody else has none of this place. */
const ENTRY = `script[type="module"][src^="${import.meta.env.BASE_URL}assets/"]`;

let newer = false;
const changes = listeners();

function entryOf(page: Document): string | null {
  return page.querySelector(ENTRY)?.getAttribute('src') ?? null;
}

/** Asks the server for the page, and answers whether it is of another release. What cannot be asked is as it was. */
export async function lookForRelease(): Promise<boolean> {
  try {
    const answer = await fetch(import.meta.env.BASE_URL, { cache: 'no-store' });
    if (!answer.ok) return newer;
    const served = entryOf(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    newer = served !== null && served !== entryOf(document);
  } catch {
    return newer;
  }
  changes.announce();
  return newer;
}

/** Whether there is a newer release, as far as was asked. */
export function useNewRelease(): boolean {
  return changes.use(() => newer);
}
