// The changes that a page has stored and not sent yet, and the answers that it keeps.

import assert from 'node:assert/strict';

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
  for (let tries = 0; !fits(await kept(page, app, 'answers')); tries += 1) {
    assert(tries < 300, `${await kept(page, app, 'answers')} answers do not fit ${fits}`);
    await page.waitForTimeout(50);
  }
}

/** Waits until so many are stored. */
export async function stores(page, app, count) {
  for (let tries = 0; (await kept(page, app, 'changes')) !== count; tries += 1) {
    assert(tries < 300, `${await kept(page, app, 'changes')} changes are stored, not ${count}`);
    await page.waitForTimeout(50);
  }
}
