// Keys that work anywhere: search, add, open a card, and the list of them. While something is typed or open they are letters.

import assert from 'node:assert/strict';
import { examine } from 'trestle-web-kit/e2e/axe.mjs';
import { card, create, withBoard } from './harness.mjs';

await create({ companyName: 'Visa', status: 'APPLIED' });

const KEYS = ['/', 'n', 'e', '?'];

await withBoard(async (open) => {
  const page = await open();
  await card(page, 'Visa').waitFor();
  const search = page.getByRole('searchbox');
  await page.keyboard.press('/');
  await search.and(page.locator(':focus')).waitFor();
  // What is typed is typed.
  for (const key of KEYS) await page.keyboard.press(key);
  assert.equal(await search.inputValue(), KEYS.join(''));
  assert.equal(await page.getByRole('dialog').count(), 0);
  await search.fill('');
  await card(page, 'Visa').waitFor();

  await card(page, 'Visa').getByRole('link').focus();
  await page.keyboard.press('e');
  const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
  await sheet.waitFor();
  // Over what is open no other dialog opens.
  for (const key of KEYS) await page.keyboard.press(key);
  assert.equal(await page.getByRole('dialog').count(), 1);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });

  await page.locator('body').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'Add an application' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  const palette = page.getByRole('dialog', { name: 'Commands and keys' });
  await palette.getByText('Go from card to card').waitFor();
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });

  // The palette finds commands and applications by a part of their names, by keys and by mouse, also while something is typed.
  await create({ companyName: 'Axolotl', status: 'REJECTED' });
  const typed = palette.getByRole('combobox', { name: 'Command or application' });
  const option = (name) => palette.getByRole('option', { name, exact: true });
  await search.focus();
  await page.keyboard.press('Control+k');
  await option('Search /').and(palette.locator('[aria-selected="true"]')).waitFor();
  await examine(page, 'palette');
  await typed.fill('axol');
  await option('Axolotl, Engineer').and(palette.locator('[aria-selected="true"]')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Axolotl, Engineer' }).waitFor();
  await page.keyboard.press('Control+k');
  assert.equal(await palette.count(), 0);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (const [part, name, there] of [
    ['', 'Add application n', page.getByRole('dialog', { name: 'Add an application' })],
    ['imp', 'Import', page.getByRole('dialog', { name: 'Import applications' })],
  ]) {
    await page.keyboard.press('Control+k');
    await typed.fill(part);
    await option(name).click();
    await there.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.keyboard.press('Control+k');
  await option('Search /').waitFor();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('heading', { name: 'Table' }).waitFor();
  await page.keyboard.press('Control+k');
  await typed.fill('search');
  await page.keyboard.press('Enter');
  await search.and(page.locator(':focus')).waitFor();

  // On a phone the first card is within the first third of the screen, and what removes a stage is not beside its date.
  const phone = await open('#/', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await create({ companyName: 'Axon', status: 'UNSUBMITTED', nextAction: 'Call', nextActionDate: new Date().toISOString().slice(0, 10) });
  await phone.getByRole('region', { name: 'This week' }).waitFor();
  await card(phone, 'Axon').waitFor();
  const { y } = await card(phone, 'Axon').boundingBox();
  assert(y < 844 / 3, `the first card is at ${y}`);
  await card(phone, 'Axon').getByRole('button', { name: 'Drag Axon' }).waitFor();
  assert.equal(await card(phone, 'Axon').locator('.card-tools').evaluate((tools) => getComputedStyle(tools).opacity), '1');
});
