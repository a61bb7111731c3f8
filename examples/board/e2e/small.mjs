// Where there is little room, at 400 % zoom or on a phone in landscape, the page scrolls: a card can be seen and opened.

import assert from 'node:assert/strict';
import { card, create, withBoard } from './harness.mjs';

const today = new Date().toISOString().slice(0, 10);
await create({ companyName: 'Visa', status: 'UNSUBMITTED', nextAction: 'Call Kim', nextActionDate: today });

/** Whether most of the element can be seen, and a press on it reaches it. */
function isSeen(element) {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const [height, width] = [Math.min(bottom, innerHeight) - Math.max(top, 0), Math.min(right, innerWidth) - Math.max(left, 0)];
  const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
  const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
  return height > 40 && width > 100 && element.contains(document.elementFromPoint(x, y));
}

await withBoard(async (open) => {
  for (const viewport of [{ width: 320, height: 256 }, { width: 640, height: 360 }, { width: 844, height: 390 }]) {
    const page = await open('#/', { viewport });
    const place = JSON.stringify(viewport);
    const visa = card(page, 'Visa');
    await visa.waitFor();
    await page.getByRole('region', { name: 'This week' }).waitFor();
    // As a wheel does it: the page itself, not a list within.
    await page.evaluate(() => {
      const list = document.querySelector('.card').closest('.cards');
      window.scrollTo(0, list.getBoundingClientRect().top + window.scrollY);
    });
    assert(await visa.evaluate(isSeen), `the card cannot be seen at ${place}`);
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `the page is too wide at ${place}`);
    await visa.getByRole('link').click();
    const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
    await sheet.getByRole('button', { name: /^Company: Visa/u }).waitFor();
    assert(await sheet.getByRole('button', { name: /^Company: Visa/u }).evaluate(
      (element) => element.getBoundingClientRect().bottom <= innerHeight), `the company is out of sight at ${place}`);
    await page.keyboard.press('Escape');
    await page.evaluate(() => (location.hash = '#/table'));
    const row = page.getByRole('row', { name: /Visa/u });
    await row.waitFor();
    await row.scrollIntoViewIfNeeded();
    assert(await row.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }), `the row cannot be seen at ${place}`);
    await page.context().close();
  }
});
