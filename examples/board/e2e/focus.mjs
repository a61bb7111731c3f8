// The keyboard goes on where it was: after dialogs, after a card that left, and with links of any kind.

import assert from 'node:assert/strict';
import { card, column, create, openMenu, withBoard } from './harness.mjs';

const id = await create({ companyName: 'Visa', status: 'APPLIED' });
await create({ companyName: 'Axon', status: 'APPLIED' });
await create({ companyName: 'Hooli', status: 'APPLIED' });

async function focused(page, locator) {
  await locator.waitFor();
  await page
    .waitForFunction((element) => element === document.activeElement, await locator.elementHandle())
    .catch(async () => {
      const has = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
      assert.fail(`${locator} has no focus, but ${has}`);
    });
}

async function closed(page, link) {
  await link.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  // It hears keys from when it has the focus.
  await page.waitForFunction(() => document.activeElement?.closest('[role="dialog"]'));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await focused(page, link);
}

await withBoard(async (open) => {
  const page = await open();
  await card(page, 'Visa').waitFor();
  await closed(page, page.getByRole('link', { name: 'Add application' }));
  await closed(page, page.getByRole('link', { name: 'Import' }));
  await closed(page, card(page, 'Visa').getByRole('link'));

  // What was closed is not opened again by the way back, and each place has a name of its own there.
  await page.goBack();
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.getByRole('link', { name: 'Insight' }).click();
  await page.waitForFunction(() => document.title === 'Insight – Board');
  await page.goBack();
  await page.waitForFunction(() => document.title === 'Board');

  // Arrows go from card to card, and over to the columns that have any.
  await create({ companyName: 'Zenith', status: 'REJECTED' });
  await card(page, 'Zenith').waitFor();
  await card(page, 'Hooli').getByRole('link').focus();
  for (const [key, company] of [
    ['ArrowDown', 'Axon'],
    ['ArrowRight', 'Zenith'],
    ['ArrowRight', 'Zenith'],
    ['ArrowLeft', 'Hooli'],
    ['ArrowUp', 'Hooli'],
    ['ArrowDown', 'Axon'],
    ['ArrowDown', 'Visa'],
  ]) {
    await page.keyboard.press(key);
    await focused(page, card(page, company).getByRole('link'));
  }

  // A card that is moved or archived leaves the focus to the one after it.
  const menu = (company) => page.getByRole('button', { name: `Actions for ${company}` });
  await openMenu(page, menu('Hooli'));
  await page.getByRole('menuitem', { name: 'Interviewing' }).press('Enter');
  await card(column(page, 'Interviewing'), 'Hooli').waitFor();
  await focused(page, menu('Axon'));
  await openMenu(page, menu('Axon'));
  await page.getByRole('menuitem', { name: 'Archive' }).press('Enter');
  await card(page, 'Axon').waitFor({ state: 'detached' });
  await focused(page, menu('Visa'));

  // A link to an application has its card to go back to.
  const linked = await open(`#/applications/${id}`);
  const sheet = linked.getByRole('dialog', { name: 'Visa, Engineer' });
  for (const name of ['Phone screen', 'Onsite']) {
    await sheet.getByRole('combobox', { name: 'New stage' }).fill(name);
    await sheet.getByRole('button', { name: 'Add stage' }).press('Enter');
    await sheet.getByRole('button', { name: `Reorder ${name}` }).waitFor();
    await focused(linked, sheet.getByRole('combobox', { name: 'New stage' }));
  }
  await sheet.getByRole('button', { name: 'Remove Phone screen' }).press('Enter');
  await focused(linked, sheet.getByRole('button', { name: 'Remove Onsite' }));
  const restore = sheet.getByRole('button', { name: 'Restore version 1', exact: true });
  await restore.press('Enter');
  await sheet.getByRole('button', { name: 'Remove Onsite' }).waitFor({ state: 'detached' });
  await focused(linked, restore);
  await linked.keyboard.press('Escape');
  await focused(linked, card(linked, 'Visa').getByRole('link'));

  // The search follows the address, and a link that was cut off shows a page.
  const search = linked.getByRole('searchbox');
  await linked.evaluate(() => (location.hash = '#/?text=visa'));
  await linked.waitForFunction((element) => element.value === 'visa', await search.elementHandle());
  await search.fill('nothing like it');
  await card(linked, 'Visa').waitFor({ state: 'detached' });
  await search.fill('');
  await card(linked, 'Visa').waitFor();
  await linked.evaluate(() => (location.hash = '#/applications/%E0%A4%A'));
  await linked.getByRole('dialog', { name: 'Not here' }).waitFor();
});
