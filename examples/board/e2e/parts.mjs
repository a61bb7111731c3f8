// A file that could not be loaded is asked for again, and of a new release a person is told: nothing is dead until a reload.

import assert from 'node:assert/strict';
import { card, create, withBoard } from './harness.mjs';

await create({ companyName: 'Visa', status: 'APPLIED' });

/** Parts with the places that show them, and what is seen there. */
const PARTS = [
  ['Table', '#/table', (page) => page.getByRole('link', { name: 'Visa' })],
  ['Insight', '#/insight', (page) => page.getByRole('heading', { name: 'Time in each status' })],
  ['AgendaPage', '#/agenda', (page) => page.getByRole('button', { name: 'Month before' })],
  ['AddDialog', '#/add', (page) => page.getByRole('dialog', { name: 'Add an application' })],
  ['ImportDialog', '#/import', (page) => page.getByRole('dialog', { name: /Import/u })],
];

await withBoard(
  async (open) => {
    const page = await open('about:blank');
    let broken = true;
    const failed = new Set();
    const own = (path) => page.route(path, (route) => {
      failed.add(new URL(route.request().url()).pathname);
      return broken ? route.abort() : route.continue();
    });
    for (const name of ['Detail', 'CardMenu', 'Table', 'AddDialog']) await own(`**/assets/${name}-*.js`);
    await page.goto(page.board);
    await card(page, 'Visa').getByRole('link').click();
    const alert = page.getByText('This part of the page could not be loaded.');
    await alert.waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate(() => (location.hash = '#/table'));
    await alert.first().waitFor();
    await page.evaluate(() => (location.hash = '#/'));
    await card(page, 'Visa').getByRole('button', { name: 'Actions for Visa' }).press('Enter');
    await page.getByText('The menu could not be loaded.').waitFor();
    assert(failed.size >= 3, [...failed].join());

    broken = false;
    await page.getByText('The menu could not be loaded.').locator('..').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('menuitem', { name: 'Rejected', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await card(page, 'Visa').getByRole('link').click();
    await page.getByRole('dialog', { name: 'Visa, Engineer' }).waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate(() => (location.hash = '#/table'));
    await page.getByRole('link', { name: 'Visa' }).waitFor();

    // The network is back before the page has noticed that it was gone: nobody has to ask again.
    for (const [name, hash, shown] of PARTS) {
      const back = await open('about:blank');
      await back.route(`**/assets/${name}-*.js`, (route) => route.abort());
      await back.goto(`${back.board}${hash}`);
      await back.getByText('This part of the page could not be loaded.').first().waitFor();
      await back.unroute(`**/assets/${name}-*.js`);
      await shown(back).waitFor();
      await back.context().close();
    }

    // Without a network what was not opened yet is there: it was loaded after the first page.
    const ready = await open();
    await card(ready, 'Visa').waitFor();
    await ready.waitForFunction(() =>
      ['Dragging', 'Detail', 'AddDialog', 'Table', 'ImportDialog', 'SignIn'].every((name) =>
        performance.getEntriesByType('resource').some((entry) => entry.name.includes(`/assets/${name}-`)),
      ),
    );
    await ready.context().setOffline(true);
    await ready.getByText(/^\s*You are offline\./u).waitFor();
    await ready.getByRole('link', { name: 'Add application' }).click();
    await ready.getByRole('dialog', { name: 'Add an application' }).waitFor();

    // A new release: the page names another script, and the files of this one are gone.
    const old = await open('about:blank');
    await old.route('**/assets/Insight-*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await old.goto(old.board);
    await card(old, 'Visa').waitFor();
    let asked = 0;
    await old.route(old.board, async (route) => {
      asked += 1;
      const response = await route.fetch();
      const page = (await response.text()).replace(/index-[\w-]+\.js/u, 'index-newer.js');
      await route.fulfill({ response, body: page });
    });
    await old.getByRole('link', { name: 'Insight' }).click();
    await old.getByRole('alert').getByText('A new version is there.').waitFor();
    assert(asked > 0);
    await old.unroute(old.board);
    await old.unroute('**/assets/Insight-*.js');
    await old.getByRole('alert').getByRole('button', { name: 'Reload' }).click();
    await old.getByRole('heading', { name: 'Time in each status' }).waitFor();
  },
  { expected: /ERR_FAILED|status of 404|dynamically imported module/u },
);
