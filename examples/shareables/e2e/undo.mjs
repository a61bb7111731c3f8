// What can be taken back, and what people see on phones: deleted items, cleared ticks, who has ticked, links of this device
// alone, days of a calendar, and the table of votes.

import assert from 'node:assert/strict';
import { stores } from 'trestle-web-kit/e2e/queue.mjs';
import { box, makeChecklist, openAs, shows, withShareables } from './harness.mjs';

const PHONE = { viewport: { width: 390, height: 844 } };

await withShareables(async (open) => {
  const maker = await open();
  const { link } = await makeChecklist(maker, { name: 'Packing list', items: ['- [x] Tent', '- Stove', 'Lamp'], by: 'Ann' });
  await shows(maker, ['Tent', 'Stove', 'Lamp']);
  // What was ticked where it was pasted from is ticked.
  assert(await box(maker, 'Tent').isChecked());
  assert(!(await box(maker, 'Stove').isChecked()));

  // The link says what it is before it is opened, and on this address that it leads nowhere else.
  const friend = await open(link, PHONE);
  await friend.getByRole('heading', { name: 'Somebody shares “Packing list” with you' }).waitFor();
  await friend.getByLabel(/^Your name/u).fill('Bob');
  await friend.getByRole('button', { name: 'Open', exact: true }).click();
  await shows(friend, ['Tent', 'Stove', 'Lamp']);
  await maker.getByRole('button', { name: 'Share' }).click();
  await maker.getByText('Other devices cannot open this link').waitFor();
  await maker.keyboard.press('Escape');

  // Who has ticked is seen on phones, too.
  await box(maker, 'Lamp').check();
  await friend.getByText('Ann', { exact: true }).first().waitFor();

  // Each way to delete, taken back by its button: everybody sees the item go and come.
  for (const name of ['Stove', 'Lamp']) {
    await maker.getByRole('button', { name: `Delete ${name}` }).click();
    await friend.waitForFunction((gone) => [...document.querySelectorAll('.item b')].every((each) => each.textContent !== gone), name);
    await maker.getByRole('button', { name: 'Undo' }).click();
    await shows(friend, ['Tent', 'Stove', 'Lamp']);
    await shows(maker, ['Tent', 'Stove', 'Lamp']);
  }
  await maker.getByRole('button', { name: 'Manage' }).click();
  await maker.getByRole('button', { name: 'Delete ticked items' }).click();
  await shows(friend, ['Stove']);
  await maker.getByRole('button', { name: 'Undo' }).click();
  await shows(friend, ['Tent', 'Stove', 'Lamp']);
  await box(friend, 'Lamp').and(friend.locator(':checked')).waitFor();

  // Cleared ticks wait, and are not sent if they are taken back.
  const sent = [];
  maker.on('request', (request) => sent.push(request.postData() ?? ''));
  await maker.getByRole('button', { name: 'Clear all ticks' }).click();
  await maker.getByText('All ticks are cleared in ten seconds').waitFor();
  await maker.getByRole('button', { name: 'Undo' }).click();
  assert(!sent.some((body) => body.includes('"operationName":"Untick"')));
  // A page that is reloaded offers it again, however long that takes.
  await maker.addInitScript(() => {
    const { now } = Date;
    Date.now = () => now() - 300_000;
  });
  await maker.getByRole('button', { name: 'Clear all ticks' }).click();
  await stores(maker, 'trestle-shareables', 1);
  await maker.reload();
  await maker.getByText('All ticks are cleared in ten seconds').waitFor();
  await maker.getByRole('button', { name: 'Undo' }).click();
  await stores(maker, 'trestle-shareables', 0);
  assert(!sent.some((body) => body.includes('"operationName":"Untick"')));
  await maker.getByRole('button', { name: 'Manage' }).click();
  await maker.getByRole('button', { name: 'Clear all ticks' }).click();
  await friend.waitForFunction(() => document.querySelectorAll('.item input:checked').length === 0);
  assert.equal(sent.filter((body) => body.includes('"operationName":"Untick"')).length, 1);
  await maker.keyboard.press('Escape');

  // Days of a calendar become options; the one that suits most is marked; none is an answer.
  const asker = await open();
  await asker.getByRole('link', { name: /New poll/u }).click();
  await asker.getByLabel('Name', { exact: true }).fill('Hike');
  await asker.getByLabel('Question').fill('When?');
  await asker.getByText('Pick days in a calendar').click();
  await asker.getByRole('button', { name: 'Next month' }).click();
  const days = asker.getByRole('group', { name: 'Calendar' }).locator('.week button');
  for (const at of [9, 16, 9, 9]) await days.nth(at).click();
  const typed = await asker.getByLabel(/^Days as options, such/u).inputValue();
  assert.match(typed, /^\d{4}-\d{2}-10, \d{4}-\d{2}-17$/u);
  await asker.getByLabel('Several options').check();
  await asker.getByLabel(/^Your name/u).fill('Ann');
  await asker.getByRole('button', { name: 'Make it' }).click();
  await asker.getByRole('textbox', { name: 'Admin passcode' }).waitFor();
  const poll = await asker.getByRole('textbox', { name: 'Link' }).inputValue();
  await asker.getByRole('button', { name: 'Open it' }).click();
  await asker.getByRole('checkbox').first().check();
  await asker.getByRole('button', { name: 'Vote', exact: true }).click();
  const table = asker.getByRole('table');
  await table.getByText('best').waitFor();
  assert.equal(await table.locator('th.best').count(), 1);
  const voter = await openAs(open, poll, 'Bob', PHONE);
  await voter.getByRole('button', { name: 'None of these' }).click();
  await table.getByRole('row', { name: /Bob none of these/u }).waitFor();
  await asker.getByText('2 people have voted.').waitFor();

  // A corrected day is marked, and one with votes is deleted only after a question.
  await asker.getByRole('button', { name: 'Manage' }).click();
  const corrections = asker.getByRole('list', { name: 'Options to correct' });
  const field = corrections.locator('input').first();
  const day = await field.inputValue();
  await field.fill(day.replace(/\d{2}$/u, '11'));
  await corrections.getByRole('button', { name: 'Correct' }).first().click();
  await voter.getByText('corrected', { exact: true }).first().waitFor();
  const asked = asker.waitForEvent('dialog').then(async (dialog) => {
    await dialog.accept();
    return dialog.message();
  });
  await corrections.getByRole('button', { name: /^Delete option/u }).first().click();
  assert.match(await asked, /1 person has voted for it\. Delete .* with its votes\?/u);
  await asker.getByText('1 person has voted.').waitFor();
});
