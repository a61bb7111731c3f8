// A search of all fields, the columns and the order of the table, and views that are saved under a name.

import assert from 'node:assert/strict';
import { card, closeMenu, column, create, openMenu, send, withBoard } from './harness.mjs';

await create({ companyName: 'Acme', status: 'APPLIED', tags: ['rust'], location: 'Zürich', salaryMin: 90_000, salaryCurrency: 'CHF', nextAction: 'Call', nextActionDate: '2026-12-03' });
await create({ companyName: 'Borel', status: 'REJECTED', specialRequirements: 'Some Rust', salaryMin: 60, salaryCurrency: 'EUR', salaryPeriod: 'HOUR' });
await create({ companyName: 'Rust & Sons', status: 'APPLIED', nextAction: 'Write', nextActionDate: '2026-12-01' });
const kept = await create({ companyName: 'Curie', status: 'UNSUBMITTED', postingText: 'You know RUST, and cafés', companyCategory: 'AI' });
await send(`mutation { addInterviewStage(input: { applicationId: "${kept}", name: "Talk about graphs" }) { userErrors { code } } }`);

async function searched(page) {
  await page.getByRole('searchbox').fill('rust');
  await card(column(page, 'Applied'), 'Rust & Sons').waitFor();
  const also = page.getByRole('region', { name: /^Found in other fields/u });
  // Its tags are on its card.
  await card(column(page, 'Applied'), 'Acme').waitFor();
  await also.getByRole('link', { name: /Borel ?Engineer ?in requirements$/u }).waitFor();
  await also.getByRole('link', { name: /Curie ?Engineer ?in text of the posting$/u }).waitFor();
  assert.equal(await also.getByRole('listitem').count(), 2);
  // Another filter holds for all of them.
  await page.evaluate(() => (location.hash = '#/?text=rust&category=AI'));
  await also.getByRole('link', { name: /Borel/u }).waitFor({ state: 'detached' });
  await also.getByRole('link', { name: /Curie/u }).waitFor();
  await page.evaluate(() => (location.hash = '#/?text=graphs%20cafe'));
  await also.getByRole('link', { name: /Curie ?Engineer ?in .*stages/u }).click();
  await page.getByRole('dialog', { name: 'Curie, Engineer' }).waitFor();
  await page.keyboard.press('Escape');
}

async function columns(page) {
  await page.evaluate(() => (location.hash = '#/table'));
  const table = page.getByRole('table');
  await table.getByRole('cell', { name: 'from CHF 90K' }).waitFor();
  await table.getByRole('cell', { name: 'from €60 an hour' }).waitFor();
  await table.getByRole('cell', { name: 'Zürich' }).waitFor();
  const menu = page.getByRole('button', { name: 'Columns' });
  await openMenu(page, menu);
  await page.getByRole('menuitemcheckbox', { name: 'Category' }).press('Enter');
  await table.getByRole('columnheader', { name: 'Category' }).waitFor({ state: 'detached' });
  await page.getByRole('menuitemcheckbox', { name: 'In its status since' }).press('Enter');
  await table.getByRole('columnheader', { name: 'In its status since' }).waitFor();
  await closeMenu(page, menu);
  await table.getByRole('button', { name: 'Next step' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.all td a')[0]?.textContent === 'Rust & Sons');
  assert.deepEqual((await table.getByRole('link').allInnerTexts()).slice(0, 2), ['Rust & Sons', 'Acme']);
}

async function views(page) {
  const button = page.getByRole('button', { name: 'Views' });
  await openMenu(page, button);
  await page.getByRole('menuitem', { name: 'Save this view' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Save this view' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Give it a name.').waitFor();
  await dialog.getByLabel('Name').fill('What is next');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });

  // Elsewhere, and after a reload, it brings the page, its order and its columns back.
  await page.evaluate(() => (location.hash = '#/?text=borel'));
  await page.reload();
  await card(page, 'Borel').waitFor();
  await openMenu(page, button);
  await page.getByRole('menuitem', { name: 'What is next' }).press('Enter');
  const table = page.getByRole('table');
  await page.getByRole('columnheader', { name: 'Next step' }).and(page.locator('[aria-sort="ascending"]')).waitFor();
  await table.getByRole('columnheader', { name: 'In its status since' }).waitFor();
  assert.equal(await table.getByRole('columnheader', { name: 'Category' }).count(), 0);
  assert.equal(await page.getByRole('searchbox').inputValue(), '');
  await openMenu(page, button);
  await page.getByRole('menuitem', { name: 'Forget “What is next”' }).press('Enter');
  await page.getByText('“What is next” forgotten').waitFor();
  await openMenu(page, button);
  assert.equal(await page.getByRole('menuitem', { name: 'What is next' }).count(), 0);
  await closeMenu(page, button);
}

await withBoard(async (open) => {
  const page = await open('#/', { viewport: { width: 1600, height: 900 } });
  await card(page, 'Acme').waitFor();
  await searched(page);
  await columns(page);
  await views(page);
});
