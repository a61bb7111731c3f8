// A long column: pages arrive as one scrolls, each card once, and few are in the document at a time.

import assert from 'node:assert/strict';
import { column, create, withBoard } from './harness.mjs';

const COUNT = 95;
const names = Array.from({ length: COUNT }, (_, index) => `Company ${String(index).padStart(3, '0')}`);
for (const companyName of names) await create({ companyName, status: 'APPLIED' });

await withBoard(async (open) => {
  const page = await open('#/', { viewport: { width: 390, height: 700 } });
  const applied = column(page, 'Applied');
  await applied.getByRole('article').first().waitFor();
  assert.equal(await applied.locator('.total').innerText(), String(COUNT));
  const seen = new Set();
  while (!seen.has(names[0])) {
    const shown = await applied.getByRole('article').getByRole('heading').allInnerTexts();
    assert(shown.length < 40, `${shown.length} cards are in the document`);
    for (const name of shown) seen.add(name);
    await applied.locator('.cards').evaluate((list) => list.scrollBy(0, 400));
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  assert.deepEqual([...seen].toSorted(), names);
});
