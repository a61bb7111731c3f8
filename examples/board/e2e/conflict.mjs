// Two browsers, one application: changes of different fields are merged, and of the same field both values are shown.

import assert from 'node:assert/strict';
import { card, column, create, drag, saved, send, stored, storedAs, withBoard } from './harness.mjs';

const id = await create({ companyName: 'Visa', status: 'APPLIED', notes: 'Ask Kim' });

async function elsewhere(input) {
  await send(
    'mutation($input: UpdateApplicationInput!) { updateApplication(input: $input) { userErrors { code } } }',
    { input: { id, ...input } },
  );
}

await withBoard(async (open) => {
  const one = await open();
  const other = await open('#/', { sockets: () => {}, currency: 'USD' });
  await card(column(one, 'Applied'), 'Visa').waitFor();
  await card(column(other, 'Applied'), 'Visa').waitFor();

  // The second to move it is shown where the first one put it, and chooses.
  await saved(one, 'MoveApplication', () =>
    drag(one, card(one, 'Visa'), column(one, 'Interviewing')),
  );
  await card(column(one, 'Interviewing'), 'Visa').waitFor();
  await drag(other, card(other, 'Visa'), column(other, 'Rejected'));
  const dialog = other.getByRole('alertdialog', { name: 'Changed somewhere else' });
  await dialog.getByRole('row', { name: 'Status Rejected Interviewing' }).waitFor();
  assert.equal((await stored(id)).status, 'INTERVIEWING');
  await dialog.getByRole('button', { name: 'Keep theirs' }).click();
  await card(column(other, 'Interviewing'), 'Visa').waitFor();
  assert.equal((await stored(id)).version, 2);

  // Other fields are no reason to ask.
  await elsewhere({ notes: 'From elsewhere' });
  await drag(other, card(other, 'Visa'), column(other, 'Rejected'));
  await card(column(other, 'Rejected'), 'Visa').waitFor();
  await other.waitForFunction(() => document.querySelectorAll('.card.lifted').length === 0);
  const moved = await storedAs(id, ({ status }) => status === 'REJECTED');
  assert.equal(moved.notes, 'From elsewhere');
  assert.equal(await dialog.count(), 0);

  // Two fields of one page: both are kept.
  await other.evaluate((hash) => (location.hash = hash), `#/applications/${id}`);
  const sheet = other.getByRole('dialog', { name: 'Visa, Engineer' });
  const notes = sheet.getByRole('textbox', { name: 'Notes' });
  await sheet.getByRole('button', { name: 'Notes: From elsewhere' }).waitFor();
  // From now on only the answers to its changes tell it of those of others: a page that reads another value in time says so in the field.
  await other.route('**/graphql', (route) =>
    route.request().postDataJSON()?.operationName === 'Detail' ? undefined : route.fallback(),
  );
  await sheet.getByRole('button', { name: 'Notes: From elsewhere' }).click();
  await elsewhere({ salaryMin: 90_000 });
  await notes.fill('Mine');
  await other.keyboard.press('Control+Enter');
  await sheet.getByRole('button', { name: 'Salary from: $90,000' }).waitFor();
  await sheet.getByRole('button', { name: 'Notes: Mine' }).waitFor();
  const merged = await storedAs(id, ({ notes: now }) => now === 'Mine');
  assert.equal(merged.salaryMin, 90_000);

  // The same field: both values are shown, and the person's own is not lost.
  await sheet.getByRole('button', { name: 'Notes: Mine' }).click();
  await elsewhere({ notes: 'Theirs' });
  await notes.fill('Mine again');
  await other.keyboard.press('Control+Enter');
  await dialog.getByRole('row', { name: 'Notes Mine again Theirs' }).waitFor();
  assert.equal((await stored(id)).notes, 'Theirs');
  await saved(other, 'EditApplication', () => dialog.getByRole('button', { name: 'Save mine' }).click());
  await sheet.getByRole('button', { name: 'Notes: Mine again' }).waitFor();
  assert.equal((await stored(id)).notes, 'Mine again');
});
