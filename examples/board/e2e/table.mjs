// The table: sorted by a column, selected, changed together, and saved as a file that the import knows again.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { card, column, create, send, withBoard } from './harness.mjs';

const ids = new Map();
for (const [companyName, salaryMax, dateApplied] of [
  ['Cobalt', 90_000, '2026-10-03'],
  ['Axon', 120_000, '2026-10-01'],
  ['Borel', 100_000, '2026-10-02'],
]) {
  ids.set(companyName, await create({ companyName, status: 'APPLIED', salaryMax, dateApplied, notes: 'One, "two"' }));
}
for (let index = 0; index < 60; index += 1) await create({ companyName: `Zed ${index}`, status: 'REJECTED', dateApplied: '2026-09-01' });

await withBoard(async (open) => {
  const page = await open('#/table', { viewport: { width: 1440, height: 900 } });
  const table = page.getByRole('table');
  const links = table.getByRole('link');
  await page.getByText('63 applications').waitFor();

  async function sorted(by, ...first) {
    await table.getByRole('button', { name: by }).click();
    await page.waitForFunction(
      (names) => names.every((name, at) => document.querySelectorAll('.all td a')[at]?.textContent === name),
      first,
    );
  }

  await sorted('Company', 'Axon', 'Borel', 'Cobalt');
  await page.getByRole('columnheader', { name: 'Company' }).and(page.locator('[aria-sort="ascending"]')).waitFor();
  await sorted('Salary', 'Axon', 'Borel', 'Cobalt');
  await sorted('Applied', 'Cobalt', 'Borel', 'Axon');
  await sorted('Company', 'Axon', 'Borel', 'Cobalt');
  await sorted('Applied', 'Cobalt', 'Borel', 'Axon');

  // Several at once, and back.
  for (const name of ['Axon', 'Borel']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByText('2 selected').waitFor();
  await page.getByRole('combobox', { name: 'Change status' }).selectOption('Interviewing');
  await page.getByText('2 moved to Interviewing').waitFor();
  const statusOf = async (name) => (await send(`{ application(id: "${ids.get(name)}") { status isArchived } }`)).application;
  assert.equal((await statusOf('Axon')).status, 'INTERVIEWING');
  await page.getByRole('row', { name: /^Select Axon/u }).getByText('Interviewing').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /^Select Axon/u }).getByText('Applied').waitFor();

  await page.getByRole('checkbox', { name: 'Select Borel' }).check();
  // One button has this name: the archive itself is opened by another.
  assert.equal(await page.getByRole('button', { name: 'Archive', exact: true }).count(), 1);
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByText('1 archived').waitFor();
  assert.equal((await statusOf('Borel')).isArchived, true);
  await page.getByText('62 applications').waitFor();

  await page.getByRole('checkbox', { name: 'Select Cobalt' }).check();
  await page.getByRole('button', { name: 'Delete' }).click();
  const deleted = page.locator('.toast').filter({ hasText: '1 deleted' });
  await page.getByText('61 applications').waitFor();
  await deleted.getByRole('button', { name: 'Dismiss' }).click();
  await eventually(() => statusOf('Cobalt'), (now) => now === null);

  // All of them in one file, also those that are not loaded.
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export all as CSV' }).click();
  const file = await readFile(await (await saving).path(), 'utf8');
  assert.equal(file.split('\r\n').length, 61 + 2);
  assert.match(file, /Axon,Engineer,Applied,2026-10-01,.*120000,.*"One, ""two""/u);
  await page.evaluate(() => (location.hash = '#/import'));
  const dialog = page.getByRole('dialog', { name: 'Import applications' });
  await dialog.getByLabel('CSV file').setInputFiles({ name: 'all.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
  await dialog.getByText('0 new, 61 there already, 0 twice in the file, 0 cannot be read').waitFor();
  // What the spreadsheet changed is shown, and written only if that is wanted.
  await dialog.getByRole('button', { name: 'Another file' }).click();
  const edited = file.replace(/(Axon,Engineer),Applied/u, '$1,Interviewing');
  await dialog.getByLabel('CSV file').setInputFiles({ name: 'all.csv', mimeType: 'text/csv', buffer: Buffer.from(edited) });
  await dialog.getByText('0 new, 1 changed, 60 there already').waitFor();
  await dialog.getByText('There, with another Status').waitFor();
  await dialog.getByRole('checkbox', { name: 'Change those that are there' }).check();
  await dialog.getByRole('button', { name: 'Import 1' }).click();
  await dialog.getByText('1 imported, 0 refused').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  assert.equal((await statusOf('Axon')).status, 'INTERVIEWING');
  await send(`mutation { updateApplication(input: { id: "${ids.get('Axon')}", status: APPLIED }) { userErrors { code } } }`);
  await page.evaluate(() => (location.hash = '#/import'));
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('61 applications').waitFor();

  // What opens from the table goes back to it.
  await links.filter({ hasText: 'Axon' }).click();
  await page.getByRole('dialog', { name: 'Axon, Engineer' }).waitFor();
  await page.keyboard.press('Escape');
  await table.waitFor();
  await page.getByRole('link', { name: 'Board', exact: true }).click();
  await card(column(page, 'Applied'), 'Axon').waitFor();
});
