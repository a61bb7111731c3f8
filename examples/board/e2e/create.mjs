// Quick add: what is wrong is said beside its field, what is right is on the board and on the server.

import assert from 'node:assert/strict';
import { card, column, send, withBoard } from './harness.mjs';

await withBoard(async (open) => {
  const page = await open();
  // Whoever is here for the first time is told where to begin, until there is something.
  const welcome = page.getByRole('region', { name: 'Start' });
  await welcome.getByRole('link', { name: 'Add the first one' }).waitFor();
  await column(page, 'Applied').getByRole('link', { name: 'Add an application to Applied' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an application' });
  await dialog.getByLabel('Company').fill('Acme');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByRole('alert').filter({ hasText: '“Position”' }).waitFor();

  await dialog.getByLabel('Position').fill('Engineer');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await card(column(page, 'Applied'), 'Acme').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await welcome.waitFor({ state: 'detached' });
  await column(page, 'Applied').locator('.total', { hasText: /^\s*1\s*$/ }).waitFor();

  const { applications } = await send('{ applications { edges { node { companyName status } } } }');
  assert.deepEqual(applications.edges, [{ node: { companyName: 'Acme', status: 'APPLIED' } }]);
  // What was typed is there after a reload too: nothing lives in the page alone.
  await page.reload();
  await card(column(page, 'Applied'), 'Acme').waitFor();
});
