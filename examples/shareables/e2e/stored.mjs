// A page that was opened before opens again after its tab was closed and its server is gone: with what it showed last, and
// with what was not sent. Takes the binary.

import assert from 'node:assert/strict';
import { stores } from 'trestle-web-kit/e2e/queue.mjs';
import { withServer } from 'trestle-web-kit/e2e/served.mjs';
import { stored, storedFiles } from 'trestle-web-kit/e2e/stored.mjs';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { add, box, makeChecklist, openAs, shows, withShareables } from './harness.mjs';

const FLAGS = ['--service', 'shareables', '--shareables-secret', 'a-secret-of-the-test-that-is-long-enough'];

/** Waits until the browser keeps the list with so many ticks, and the changes that are not sent. */
async function keeps(page, ticked) {
  await stores(page, 'trestle-shareables', 1);
  const count = () =>
    page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const asked = indexedDB.open('trestle-shareables-shown');
          asked.onerror = () => reject(asked.error);
          asked.onsuccess = () => {
            const all = asked.result.transaction('shareables').objectStore('shareables').getAll();
            all.onsuccess = () => {
              asked.result.close();
              resolve(all.result.flatMap(({ shareable }) => shareable.items).filter(({ tickedAt }) => tickedAt).length);
            };
          };
        }),
    );
  await eventually(count, (now) => now === ticked);
}

await withServer(process.argv[2], FLAGS, async ({ start, stop }) => {
  await withShareables(
    async (open) => {
      const maker = await open();
      const { link } = await makeChecklist(maker, { name: 'Packing list', items: ['Tent', 'Samovar'], by: 'Ann' });
      const friend = await openAs(open, link, 'Bob');
      await shows(friend, ['Tent', 'Samovar']);
      await box(maker, 'Tent').check();
      await box(friend, 'Tent').and(friend.locator(':checked')).waitFor();
      const place = friend.url();
      await stored(friend);

      // Nothing but the page and its files is stored: no answer of the API, and no address that carries a passcode.
      const passcode = link.split('/').at(-1).split('?')[0];
      const files = await storedFiles(friend);
      const paths = files.map(({ url }) => new URL(url)).map(({ pathname, hash, search }) => pathname + search + hash);
      assert(paths.includes('/shareables/'), paths.join());
      assert.deepEqual(paths.filter((path) => !/^\/shareables\/(?:assets\/[^/?#]+)?$/u.test(path)), []);
      assert.deepEqual(files.filter(({ text, url }) => `${text}${url}`.includes(passcode) || text.includes('Samovar')), []);

      await friend.close();
      await stop();
      const again = await open(place, { beside: friend });
      await again.getByText('The server does not answer.').waitFor();
      await again.getByRole('heading', { name: 'Packing list' }).waitFor();
      await shows(again, ['Tent', 'Samovar']);
      await box(again, 'Tent').and(again.locator(':checked')).waitFor();
      // Parts that were not open before are there, too.
      const other = await open(`${new URL(place).origin}/shareables/#/new/poll`, { beside: friend });
      await other.getByRole('heading', { name: 'New poll' }).waitFor();
      await other.close();

      // What is changed meanwhile is kept, also if this page is closed as well.
      await box(again, 'Samovar').check();
      await again.getByText('1 change waits.').waitFor();
      await again.getByText('2 of 2').waitFor();
      await keeps(again, 2);
      await again.close();
      const third = await open(place, { beside: friend });
      await shows(third, ['Tent', 'Samovar']);
      await third.getByText('2 of 2').waitFor();
      await start();
      await box(maker, 'Samovar').and(maker.locator(':checked')).waitFor();
      await third.getByText('The server does not answer.').waitFor({ state: 'detached' });

      // With the server, the page is read anew: what another one has added is there.
      await add(maker, 'Rope');
      await third.reload();
      await shows(third, ['Tent', 'Samovar', 'Rope']);

      // What is forgotten shows nothing any more.
      await third.goto(`${new URL(place).origin}/shareables/#/`);
      await third.getByRole('button', { name: 'Forget Packing list' }).click();
      await third.getByText('Packing list is forgotten in this browser').waitFor();
      await stop();
      const last = await open(place, { beside: friend });
      await last.getByLabel('Passcode', { exact: true }).waitFor();
      assert.equal(await last.getByText('Samovar').count(), 0);
    },
    { expected: /ERR_CONNECTION_(?:REFUSED|RESET)|ERR_EMPTY_RESPONSE|WebSocket|Failed to fetch/u },
  );
});
