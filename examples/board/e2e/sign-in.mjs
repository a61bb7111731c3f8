// A server that wants an API key: the board asks for one, says when it is refused, and goes on with the
// right one, live changes too. The second and third argument are a key that may write and one that may not.

import assert from 'node:assert/strict';
import { card, column, create, send, withBoard } from './harness.mjs';

const [key, reader] = process.argv.slice(3);
assert(key && reader, 'give a key that may write and one that may only read');

const visa = await create({ companyName: 'Visa', status: 'APPLIED' }, key);

const run = async (open) => {
  const page = await open();
  const dialog = page.getByRole('dialog', { name: 'Who are you?' });

  async function give(text) {
    await dialog.getByLabel('API key or token').fill(text);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
  }

  await dialog.waitFor();
  assert.equal(await card(page, 'Visa').count(), 0);
  await give(`${key}x`);
  await dialog.getByText('The server refuses what was given.').waitFor();
  await give(key);
  await card(column(page, 'Applied'), 'Visa').waitFor();
  await dialog.waitFor({ state: 'detached' });

  // The live connection has the key too.
  await create({ companyName: 'Axon', status: 'APPLIED' }, key);
  await card(column(page, 'Applied'), 'Axon').waitFor();

  // The tab keeps the key, and no other has it.
  await page.reload();
  await card(page, 'Visa').waitFor();
  assert.equal(await dialog.count(), 0);
  const other = await open();
  const asked = other.getByRole('dialog', { name: 'Who are you?' });
  await asked.getByLabel('API key or token').fill(reader);
  await other.keyboard.press('Enter');
  await card(other, 'Visa').waitFor();

  // A key that may only read: the change is taken back, with the reason.
  await card(other, 'Visa').getByRole('button', { name: 'Actions for Visa' }).press('Enter');
  await other.getByRole('menuitem', { name: 'Rejected', exact: true }).press('Enter');
  await other.getByText('These credentials may only read.').first().waitFor();
  await card(column(other, 'Applied'), 'Visa').waitFor();
  const { application } = await send(`{ application(id: "${visa}") { version } }`, {}, reader);
  assert.equal(application.version, 1);
};

// Chromium reports each request that was refused.
await withBoard(run, { expected: /status of 40[13] / });
