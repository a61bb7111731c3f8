// An application's page: fields in place with patch semantics, stages, history and restore.

import assert from 'node:assert/strict';
import { create, lift, stored, storedAs, withBoard } from './harness.mjs';

const id = await create({ companyName: 'Visa', status: 'APPLIED', notes: 'Ask Kim', salaryMin: 90000 });

await withBoard(async (open) => {
  const page = await open(`#/applications/${id}`);
  const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });

  // Without a currency none is shown, until the person says which.
  await sheet.getByRole('button', { name: 'Salary from: 90,000' }).click();
  const salaryFrom = sheet.getByRole('textbox', { name: 'Salary from' });
  for (const [text, says] of [
    ['12 LPA', '“12 LPA” is not a whole amount: write 150,000, 150k, 90k – 110k or 60 an hour.'],
    ['90k NOK SEK', '“90k NOK SEK” is not a whole amount'],
    ['90k - 80k', '“90k - 80k” goes from the higher amount to the lower one: write 80,000 – 90,000.'],
    ['72.000,50', '“72.000,50” has a fraction: write it without, 72,000.'],
    ['72,000.50 EUR', '“72,000.50 EUR” has a fraction: write it without, 72,000.'],
    ['90k kr', '“90k kr” can be in SEK, NOK, DKK or others: write the code, such as SEK.'],
  ]) {
    await salaryFrom.fill(text);
    await page.keyboard.press('Enter');
    await sheet.getByText(says).waitFor();
  }
  await page.keyboard.press('Escape');
  await sheet.getByLabel('Amounts without a currency are in').selectOption('USD');
  await sheet.getByRole('button', { name: 'Salary from: $90,000' }).waitFor();
  assert.equal((await stored(id)).version, 1);

  // One field is set and one is cleared; what was not touched stays.
  await sheet.getByRole('button', { name: 'Salary to: Add' }).click();
  const salaryTo = sheet.getByRole('textbox', { name: 'Salary to' });
  await salaryTo.fill('9,5');
  await page.keyboard.press('Enter');
  await sheet.getByText('“9,5” is not a whole amount').waitFor();
  await salaryTo.fill('120k');
  await page.keyboard.press('Enter');
  await sheet.getByRole('button', { name: 'Salary to: $120,000' }).waitFor();
  await sheet.getByRole('button', { name: /^Notes: Ask Kim/u }).click();
  await sheet.getByRole('textbox', { name: 'Notes' }).fill('');
  await sheet.getByRole('textbox', { name: 'Notes' }).blur();
  await sheet.locator('.timeline').getByText('cleared').waitFor();
  const { notes, salaryMin } = await stored(id);
  assert.deepEqual({ notes, salaryMin }, { notes: null, salaryMin: 90000 });

  // Escape leaves the field as it was, and the sheet open.
  await sheet.getByRole('button', { name: /^Company: Visa/u }).click();
  await sheet.getByRole('textbox', { name: 'Company' }).fill('Nobody');
  await page.keyboard.press('Escape');
  await sheet.getByRole('button', { name: /^Company: Visa/u }).waitFor();
  // What was typed can be had back, by keyboard within the sheet, as soon as that is offered.
  await sheet.locator('.toast').filter({ hasText: 'Company: your change was discarded' }).waitFor();
  await page.keyboard.press('Control+z');
  assert.equal(await sheet.getByRole('textbox', { name: 'Company' }).inputValue(), 'Nobody');
  await page.keyboard.press('Escape');
  await sheet.getByRole('button', { name: /^Company: Visa/u }).waitFor();
  await sheet.locator('.toast').getByRole('button', { name: 'Dismiss' }).click();

  // What the API refuses is shown, and stays in the field until it is corrected or left.
  await sheet.getByRole('button', { name: 'Salary to: $120,000' }).click();
  await salaryTo.fill('1');
  await page.keyboard.press('Enter');
  await page.locator('.toast').getByText(/“Salary to” must be at least “Salary from”/u).waitFor();
  assert.equal(await salaryTo.inputValue(), '1');
  // It is not sent again by going elsewhere.
  await salaryTo.blur();
  await salaryTo.focus();
  assert.equal(await page.locator('.toast').count(), 1);
  await page.keyboard.press('Escape');
  await sheet.getByRole('button', { name: 'Salary to: $120,000' }).waitFor();

  for (const name of ['Phone screen', 'Onsite']) {
    await sheet.getByRole('combobox', { name: 'New stage' }).fill(name);
    await page.keyboard.press('Enter');
    await sheet.getByRole('button', { name: `Reorder ${name}` }).waitFor();
  }
  await sheet.getByRole('checkbox', { name: 'Phone screen completed' }).click();
  await sheet.getByRole('checkbox', { name: 'Phone screen completed', checked: true }).waitFor();
  const grip = sheet.getByRole('button', { name: 'Reorder Onsite' });
  await lift(page, grip, 'Onsite is at place 2 of 2');
  await page.keyboard.press('ArrowUp');
  await page.getByText('Onsite is at place 1 of 2').waitFor({ state: 'attached' });
  await page.keyboard.press('Space');
  await sheet.locator('.timeline').getByText('reordered').waitFor();
  assert.deepEqual(
    (await stored(id)).interviewStages.map(({ name, isCompleted }) => [name, isCompleted]),
    [
      ['Onsite', false],
      ['Phone screen', true],
    ],
  );

  // The first amount that was written brought the currency that was chosen; another one is not stored as if it were that.
  assert.equal((await stored(id)).salaryCurrency, 'USD');
  await sheet.getByRole('button', { name: 'Salary to: $120,000' }).click();
  await salaryTo.fill('£70k');
  await page.keyboard.press('Enter');
  await sheet.getByText('“£70k” is not in USD, which the salary is in').waitFor();
  await page.keyboard.press('Escape');

  // A range fills both ends.
  await sheet.getByRole('button', { name: 'Salary to: $120,000' }).click();
  await salaryTo.fill('100 000 - 130k USD');
  await page.keyboard.press('Enter');
  await sheet.getByRole('button', { name: 'Salary from: $100,000' }).waitFor();
  await sheet.getByRole('button', { name: 'Salary to: $130,000' }).waitFor();

  // A stage that was removed can be had back.
  await sheet.getByRole('button', { name: 'Remove Onsite' }).click();
  await sheet.getByRole('button', { name: 'Reorder Onsite' }).waitFor({ state: 'detached' });
  const removed = sheet.locator('.toast').filter({ hasText: 'Onsite removed' });
  await removed.getByRole('button', { name: 'Undo' }).click();
  await sheet.getByRole('button', { name: 'Reorder Onsite' }).waitFor();

  // Back to the first version: its fields, and no stages. Nothing of the history is lost.
  const { version } = await storedAs(id, ({ interviewStages }) => interviewStages.length === 2);
  await sheet.getByRole('button', { name: 'Restore version 1', exact: true }).click();
  await sheet.getByRole('button', { name: /^Notes: Ask Kim/u }).waitFor();
  await sheet.getByRole('button', { name: `Restore version ${version}`, exact: true }).waitFor();
  const restored = await stored(id);
  assert.deepEqual(restored.interviewStages, []);
  assert.equal(restored.version, version + 1);

  await sheet.getByRole('button', { name: 'Delete' }).click();
  await sheet.waitFor({ state: 'detached' });
  await page.locator('.toast').filter({ hasText: 'deleted' }).getByRole('button', { name: 'Dismiss' }).click();
  await storedAs(id, (now) => now === null);
});
