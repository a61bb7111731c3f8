// A board that was opened before opens again after its tab was closed and its server is gone: an application that is added then is
// kept, and sent when the server is back. Takes the binary.

import assert from 'node:assert/strict';
import { stored, storedFiles } from 'trestle-web-kit/e2e/stored.mjs';
import { card, column, create, send, withBoard } from './harness.mjs';
import { withServer } from './served.mjs';

await withServer(process.argv[2], async ({ start, stop }) => {
  await create({ companyName: 'Visa', status: 'APPLIED', notes: 'A secret of mine' });
  await withBoard(
    async (open) => {
      const page = await open('#/', { stores: true });
      await card(column(page, 'Applied'), 'Visa').waitFor();
      await stored(page);
      // Nothing but the page and its files: no answer of the API.
      const files = await storedFiles(page);
      const paths = files.map(({ url }) => new URL(url).pathname);
      assert(paths.includes('/board/'), paths.join());
      assert.deepEqual(paths.filter((path) => !/^\/board\/(?:assets\/[^/?#]+)?$/u.test(path)), []);
      assert.deepEqual(files.filter(({ text }) => text.includes('A secret of mine')), []);

      const place = page.url();
      const empty = await page.context().newPage();
      await page.close();
      await stop();
      const again = await open(place, { beside: empty, stores: true });
      await again.getByText('The server does not answer.').waitFor();
      await again.getByRole('link', { name: 'Add application' }).click();
      const dialog = again.getByRole('dialog', { name: 'Add an application' });
      await dialog.getByLabel('Company').fill('Curie');
      await dialog.getByLabel('Position').fill('Chemist');
      await dialog.getByRole('button', { name: 'Add' }).click();
      await again.getByText('1 change waits.').waitFor();
      await start();
      await card(column(again, 'To apply'), 'Curie').waitFor();
      await card(column(again, 'Applied'), 'Visa').waitFor();
      for (let tries = 0; ; tries += 1) {
        const { applications } = await send('{ applications { edges { node { companyName } } } }');
        if (applications.edges.length === 2) break;
        assert(tries < 300, 'it does not arrive');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    { expected: /net::ERR_|WebSocket|Failed to (?:fetch|load)/u },
  );
});
