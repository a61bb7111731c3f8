// A server that asks for keys: nothing is listed before one is given, a wrong one is refused, and signing out forgets it.
// Takes the server's URL and a key.

import assert from 'node:assert/strict';
import { ARCHIVE, drawn, drop, withGraphRuns } from './harness.mjs';

const [, , , key] = process.argv;

await withGraphRuns(
  async (open, folder) => {
    const page = await open();
    const dialog = page.getByRole('dialog', { name: 'Who are you?' });
    await dialog.waitFor();
    // There is nothing to connect to yet.
    assert.equal(await page.locator('.connection').count(), 0);
    await dialog.getByLabel('API key or token').fill('trk_wrong');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByText('The server refuses what was given.').waitFor();
    await dialog.getByLabel('API key or token').fill(key);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No runs yet.').waitFor();
    await drop(page, await folder('archive', { 'main.tf': ARCHIVE }));
    await drawn(page);
    await page.locator('.connection[data-connection=live]').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await dialog.waitFor();
    assert.equal(await page.locator('.run, .shape').count(), 0);
    assert.equal(await page.evaluate(() => JSON.stringify(sessionStorage)), '{}');
  },
  { expected: /401|WebSocket/u },
);
