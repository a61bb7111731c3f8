// A long column: pages arrive as one scrolls, each card once, and few are in the document at a time.

import assert from 'node:assert/strict';
import { card, column, create, withBoard } from './harness.mjs';

const COUNT = 95;
const names = Array.from({ length: COUNT }, (_, index) => `Company ${String(index).padStart(3, '0')}`);
for (const companyName of names) await create({ companyName, status: 'APPLIED' });

await withBoard(async (open) => {
  const page = await open('#/', { viewport: { width: 390, height: 700 } });
  const applied = column(page, 'Applied');
  await applied.getByRole('article').first().waitFor();
  await applied.locator('.total', { hasText: new RegExp(`^\\s*${COUNT}\\s*$`) }).waitFor();
  const seen = new Set();
  while (!seen.has(names[0])) {
    const shown = await applied.getByRole('article').getByRole('heading').allInnerTexts();
    assert(shown.length < 40, `${shown.length} cards are in the document`);
    for (const name of shown) seen.add(name);
    await applied.locator('.cards').evaluate((list) => list.scrollBy(0, 400));
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  assert.deepEqual([...seen].toSorted(), names);

  // From one end to the other at once: what is there is read again.
  await applied.locator('.cards').evaluate((list) => list.scrollTo(0, 0));
  await card(applied, names.at(-1)).waitFor();
  await applied.locator('.cards').evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await card(applied, names[0]).waitFor();
});
