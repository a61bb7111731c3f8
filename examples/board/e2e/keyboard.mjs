// The keyboard alone: from the top of the page a card is moved to Rejected in under 15 presses and keeps the focus; a page
// full of cards is passed in few Tabs; and a notice over an application's page can be reached.

import assert from 'node:assert/strict';
import { card, column, create, storedAs, withBoard } from './harness.mjs';

for (let index = 0; index < 30; index += 1) await create({ companyName: `Filler ${index}`, status: 'APPLIED' });
const visa = await create({ companyName: 'Visa', status: 'APPLIED' });
const axon = await create({ companyName: 'Axon', status: 'UNSUBMITTED' });

const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent);

await withBoard(async (open) => {
  for (const [width, id, name, moved] of [[1440, axon, 'Axon', 'Rejected'], [2400, visa, 'Visa', 'Rejected']]) {
    const page = await open('#/', { viewport: { width, height: 900 } });
    await card(page, 'Visa').waitFor();
    let presses = 0;
    const press = async (key) => {
      presses += 1;
      await page.keyboard.press(key);
    };
    await press('Tab');
    assert.equal(await focused(page), 'Skip to the applications');
    await press('Enter');
    if (name === 'Visa') await press('ArrowRight');
    assert.equal(await focused(page), name);
    await press('Tab');
    assert.equal(await focused(page), `Drag ${name}`);
    await press('Space');
    await page.getByText(`${name}, Engineer is over`).waitFor({ state: 'attached' });
    // dnd-kit listens for further keys from a timer on that it set before it announced this.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    for (let steps = name === 'Visa' ? 6 : 7; steps > 0; steps -= 1) await press('ArrowRight');
    await page.getByText(`is over ${moved}`).waitFor({ state: 'attached' });
    await press('Space');
    assert(presses < 15, `${presses} presses`);
    await storedAs(id, ({ status }) => status === 'REJECTED');
    // In a column that is shown the focus follows the card; otherwise it stays among the cards or goes to its place.
    if (width === 2400) {
      await card(column(page, 'Rejected'), name).waitFor();
      await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Drag Visa');
    } else {
      await page.waitForFunction(() => document.activeElement?.closest('.columns') !== null);
    }
    // Taken back by keyboard, too.
    await page.getByText(`${name} moved to Rejected`).waitFor();
    await page.keyboard.press('Control+z');
    await storedAs(id, ({ status }) => status !== 'REJECTED');
    await page.context().close();
  }

  // One card of each column is reached by Tab, with its tools; the arrow keys lead to the others.
  const page = await open('#/', { viewport: { width: 1440, height: 900 } });
  await card(page, 'Visa').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  let tabs = 0;
  while (!(await page.evaluate(() => document.activeElement?.closest('.rail')))) {
    await page.keyboard.press('Tab');
    tabs += 1;
    assert(tabs < 20, 'the closed statuses are far away');
  }

  // A notice over an application's page is within reach of Tab.
  await page.evaluate((hash) => (location.hash = hash), `#/applications/${visa}`);
  const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
  await sheet.getByRole('button', { name: /^Company: Visa/u }).click();
  await sheet.getByRole('textbox', { name: 'Company' }).fill('Nobody');
  await page.keyboard.press('Escape');
  const undo = sheet.getByRole('button', { name: 'Undo' });
  await undo.waitFor();
  for (let presses = 0; !(await undo.evaluate((button) => button === document.activeElement)); presses += 1) {
    await page.keyboard.press('Shift+Tab');
    assert(presses < 60, 'the notice was not reached');
  }
  await page.keyboard.press('Enter');
  assert.equal(await sheet.getByRole('textbox', { name: 'Company' }).inputValue(), 'Nobody');
});
