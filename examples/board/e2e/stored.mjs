// A board that was opened before opens again after its tab was closed and its server is gone: the table and the agenda show what
// they had, and an application that is added then is kept, also if the tab is closed, and sent when the server is back. Takes the
// binary.

import assert from 'node:assert/strict';
import { stores } from 'trestle-web-kit/e2e/queue.mjs';
import { stored, storedFiles } from 'trestle-web-kit/e2e/stored.mjs';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { card, column, create, send, withBoard } from './harness.mjs';
import { withServer } from './served.mjs';

/** Adds an application by the page's dialog. */
async function add(page, company, position) {
  await page.getByRole('link', { name: 'Add application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an application' });
  await dialog.getByLabel('Company').fill(company);
  await dialog.getByLabel('Position').fill(position);
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.waitFor({ state: 'detached' });
}

await withServer(process.argv[2], async ({ start, stop }) => {
  const today = new Date().toISOString().slice(0, 10);
  const due = { nextAction: 'Call Kim', nextActionDate: today };
  const visa = await create({ companyName: 'Visa', status: 'APPLIED', notes: 'A secret of mine', ...due });
  await withBoard(
    async (open) => {
      const page = await open('#/', { stores: true });
      await card(column(page, 'Applied'), 'Visa').waitFor();
      await stored(page);
      await page.getByRole('link', { name: 'Agenda' }).click();
      await page.locator('.month').getByRole('link', { name: /Visa/u }).waitFor();
      await page.getByRole('link', { name: 'Table' }).click();
      await page.getByRole('table').getByRole('link', { name: 'Visa' }).waitFor();
      await page.getByRole('link', { name: 'Board' }).click();
      await card(column(page, 'Applied'), 'Visa').waitFor();
      // Nothing but the page and its files: no answer of the API.
      const files = await storedFiles(page);
      const paths = files.map(({ url }) => new URL(url).pathname);
      assert(paths.includes('/board/'), paths.join());
      assert.deepEqual(paths.filter((path) => !/^\/board\/(?:assets\/[^/?#]+)?$/u.test(path)), []);
      assert.deepEqual(files.filter(({ text }) => text.includes('A secret of mine')), []);

      const place = page.url();
      const [empty, another] = [await page.context().newPage(), await page.context().newPage()];
      await stop();
      await page.getByText('The server does not answer.').waitFor();
      await add(page, 'Born', 'Physicist');
      await page.getByText('1 change waits.').waitFor();
      await stores(page, 'trestle-board', 1);
      await page.close();
      // What a closed page left counts, also as long as no server says whose it is.
      const again = await open(place, { beside: empty, stores: true });
      await again.getByText('The server does not answer. 1 change waits.').waitFor();
      await add(again, 'Curie', 'Chemist');
      await again.getByText('2 changes wait.').waitFor();
      // The server has not said who the person is: it is kept for the last one of this browser.
      await stores(again, 'trestle-board', 2);
      // What could not be loaded says so, in place of signs that something comes.
      await column(again, 'Applied').getByText('Not loaded: no answer from the server.').waitFor();
      assert.equal(await again.locator('.skeleton').count(), 0);
      await again.evaluate((id) => (window.location.hash = `#/applications/${id}`), visa);
      const sheet = again.getByRole('dialog', { name: 'Not loaded' });
      await sheet.getByText('This application has not been loaded. It opens when the server answers again.').waitFor();
      await again.context().setOffline(true);
      await sheet.getByText('This application has not been loaded. It opens when you are online again.').waitFor();
      await again.locator('#column-APPLIED').getByText('Not loaded: you are offline.').waitFor();
      await again.context().setOffline(false);
      await again.keyboard.press('Escape');

      // What was loaded is shown, with when that was; what was not, is not.
      await again.getByRole('link', { name: 'Table' }).click();
      await again.getByRole('table').getByRole('link', { name: 'Visa' }).waitFor();
      const asOf = again.locator('.as-of').filter({ hasText: /^As of [^.]*\d\d/u });
      await asOf.waitFor();
      await again.getByRole('button', { name: /^Company/u }).click();
      await again.getByText('Not loaded: no answer from the server.').waitFor();
      await again.getByRole('link', { name: 'Agenda' }).click();
      await again.locator('.month').getByRole('link', { name: /Visa/u }).waitFor();
      await asOf.first().waitFor();
      await again.close();

      const third = await open(`${place.split('#')[0]}#/applications/${visa}`, { beside: another, stores: true });
      await third.getByText('2 changes wait.').waitFor();
      await start();
      await third.getByRole('dialog', { name: /Visa/u }).waitFor();
      await third.keyboard.press('Escape');
      await card(column(third, 'To apply'), 'Curie').waitFor();
      await card(column(third, 'Applied'), 'Visa').waitFor();
      await stores(third, 'trestle-board', 0);
      await eventually(
        () => send('{ applications { edges { node { companyName } } } }'),
        ({ applications }) => applications.edges.length === 3,
      );
    },
    { expected: /net::ERR_|WebSocket|Failed to (?:fetch|load)/u },
  );
});
