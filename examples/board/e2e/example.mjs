// Whoever has no applications looks around with an example by one press, and removes it by another, which can be undone. What they
// added themselves stays.

import assert from 'node:assert/strict';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { card, column, counts, create, send, withBoard } from './harness.mjs';

const total = async () => (await send('{ applicationStats { active } }')).applicationStats.active;

await withBoard(async (open) => {
  const page = await open();
  await page.getByRole('button', { name: 'Look around with an example' }).click();
  for (const [status, company] of [['To apply', 'Acme'], ['Applied', 'Globex'], ['Interviewing', 'Soylent'], ['Offer', 'Vandelay']]) {
    await card(column(page, status), company).waitFor();
  }
  await page.getByRole('region', { name: 'This week' }).getByRole('link', { name: /Acme/u }).waitFor();
  assert.equal(await total(), 7);
  await create({ companyName: 'Visa', status: 'APPLIED' });
  await counts(page, 'Applied', '3');

  // Each browser knows the example again, also after a part of it was deleted.
  const other = await open();
  const remove = other.getByRole('button', { name: 'Remove the example' });
  const toast = other.locator('.toast').filter({ hasText: '7 deleted' });
  await remove.click();
  await counts(other, 'Applied', '1');
  await remove.waitFor({ state: 'detached' });
  await toast.getByRole('button', { name: 'Undo' }).click();
  await counts(other, 'Applied', '3');
  assert.equal(await total(), 8);
  await remove.click();
  await toast.getByRole('button', { name: 'Dismiss' }).click();
  await eventually(total, (count) => count === 1);
  await counts(page, 'Applied', '1');
  await card(page, 'Globex').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove the example' }).waitFor({ state: 'detached' });
  await card(page, 'Visa').waitFor();
});
