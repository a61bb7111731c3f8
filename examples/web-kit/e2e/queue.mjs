// The changes that a page has stored and not sent yet, and the answers that it keeps.

import { eventually } from './waiting.mjs';

/** How many values the browser has stored in this place of a page, by the name that `app.ts` gives it. */
function kept(page, app, place) {
  return page.evaluate(
    ([database, name]) =>
      new Promise((resolve, reject) => {
        const asked = indexedDB.open(database);
        asked.onerror = () => reject(asked.error);
        asked.onsuccess = () => {
          const count = asked.result.transaction(name).objectStore(name).count();
          count.onsuccess = () => {
            asked.result.close();
            resolve(count.result);
          };
        };
      }),
    [`${app}-${{ changes: 'changes', answers: 'loaded' }[place]}`, place],
  );
}

/** Waits until it keeps a number of answers that fits. */
export async function answersKept(page, app, fits) {
  await eventually(() => kept(page, app, 'answers'), fits);
}

/** Waits until so many are stored. */
export async function stores(page, app, count) {
  await eventually(async () => [await kept(page, app, 'changes'), count], ([stored, expected]) => stored === expected);
}
