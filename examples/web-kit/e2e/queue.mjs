// The changes that a page has stored and not sent yet.

import assert from 'node:assert/strict';

/** How many changes the browser has stored of a page, by the name that `app.ts` gives it. */
function kept(page, app) {
  return page.evaluate(
    (database) =>
      new Promise((resolve, reject) => {
        const asked = indexedDB.open(database);
        asked.onerror = () => reject(asked.error);
        asked.onsuccess = () => {
          const count = asked.result.transaction('changes').objectStore('changes').count();
          count.onsuccess = () => {
            asked.result.close();
            resolve(count.result);
          };
        };
      }),
    `${app}-changes`,
  );
}

/** Waits until so many are stored. */
export async function stores(page, app, count) {
  for (let tries = 0; (await kept(page, app)) !== count; tries += 1) {
    assert(tries < 300, `${await kept(page, app)} changes are stored, not ${count}`);
    await page.waitForTimeout(50);
  }
}
