// What the admin changes reaches everyone: what friends may do, the expiry, a new passcode, a new personal link, and deletion.

import assert from 'node:assert/strict';
import { add, makeChecklist, makePoll, openAs, shows, withShareables } from './harness.mjs';

/** Opens the dialog of the admin. */
async function manage(page) {
  await page.getByRole('button', { name: 'Manage' }).click();
  const dialog = page.getByRole('dialog', { name: 'Manage' });
  await dialog.waitFor();
  return dialog;
}

const run = async (open) => {
  const maker = await open();
  const { link, 'Admin passcode': admin } = await makeChecklist(maker, { name: 'Shopping', items: ['Milk'], by: 'Ann' });
  const friend = await openAs(open, link, 'Bob');
  await shows(friend, ['Milk']);
  await add(friend, 'Bread');
  await shows(maker, ['Milk', 'Bread']);

  const dialog = await manage(maker);
  await dialog.getByLabel('Add items').click();
  await friend.getByLabel('New item').waitFor({ state: 'detached' });
  await dialog.getByLabel('Change the texts of items').click();
  await friend.getByRole('button', { name: 'Change Milk' }).waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('Groceries');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await friend.getByRole('heading', { name: 'Groceries' }).waitFor();
  const later = new Date(Date.now() + 200 * 86_400_000);
  await dialog.getByLabel('Open until the end of').fill(later.toISOString().slice(0, 10));
  await dialog.getByRole('button', { name: 'Extend' }).click();
  await friend.getByText(new RegExp(`until .*${later.getUTCFullYear()}`, 'u')).waitFor();

  // A new passcode shuts out whoever has the earlier one, and not the admin.
  await dialog.getByLabel('Admin passcode', { exact: true }).fill(admin);
  await dialog.getByRole('button', { name: 'New view passcode' }).click();
  const passcode = await dialog.getByRole('textbox', { name: 'New view passcode' }).inputValue();
  await friend.getByText('The passcode has changed, or this browser was signed out.').waitFor();
  await friend.getByLabel('Passcode', { exact: true }).fill('not the passcode');
  await friend.getByRole('button', { name: 'Open', exact: true }).click();
  await friend.getByText('There is nothing with this short id and passcode.').waitFor();
  await friend.getByLabel('Passcode', { exact: true }).fill(passcode);
  await friend.getByRole('button', { name: 'Open', exact: true }).click();
  await shows(friend, ['Milk', 'Bread']);

  // So does the admin passcode, which other devices of the admin were opened with. Those who look on are left alone.
  const second = await open(`#/s/${new URL(link).hash.split('/')[2]}`);
  const enter = async () => {
    await second.getByLabel('Passcode', { exact: true }).fill(admin);
    await second.getByLabel(/^Your name/u).fill('Ann at work');
    await second.getByRole('button', { name: 'Open', exact: true }).click();
    await second.getByRole('button', { name: 'Manage' }).waitFor();
  };
  const reopen = async () => {
    await dialog.getByRole('button', { name: 'Close' }).click();
    await manage(maker);
  };
  // Which passcode it is can be said after a refusal: while one of them is paused, the other is compared if it is named.
  await second.getByLabel('Passcode', { exact: true }).fill('not the passcode');
  await second.getByRole('button', { name: 'Open', exact: true }).click();
  await second.getByLabel('This is the admin passcode').check();
  const named = second.waitForRequest((request) => request.postData()?.includes('"role":"ADMIN"'));
  await enter();
  await named;
  await reopen();
  const devices = dialog.getByRole('list', { name: 'Devices that stay signed in' });
  await devices.getByRole('listitem').filter({ hasText: 'this browser' }).filter({ hasText: 'Ann' }).waitFor();
  const out = 'The passcode has changed, or this browser was signed out.';
  await devices.getByRole('button', { name: 'Sign out Ann at work' }).click();
  await devices.getByRole('button', { name: 'Sign out Ann at work' }).waitFor({ state: 'detached' });
  await second.getByText(out).waitFor();
  await enter();
  await reopen();
  await devices.getByRole('button', { name: 'Sign out Ann at work' }).waitFor();
  await dialog.getByLabel('Admin passcode', { exact: true }).fill(admin);
  await dialog.getByRole('button', { name: 'New admin passcode' }).click();
  const next = await dialog.getByRole('textbox', { name: 'New admin passcode' }).inputValue();
  assert.notEqual(next, admin);
  await second.getByText(out).waitFor();
  await shows(friend, ['Milk', 'Bread']);
  // The one who made it goes on, also after a reload.
  await maker.reload();
  await shows(maker, ['Milk', 'Bread']);
  await manage(maker);
  await dialog.getByLabel('Admin passcode', { exact: true }).fill(admin);
  await dialog.getByRole('button', { name: 'New view passcode' }).click();
  await dialog.getByText('This is not the admin passcode.').waitFor();
  await dialog.getByLabel('Admin passcode', { exact: true }).fill(next);

  maker.once('dialog', (question) => question.accept());
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await maker.getByRole('heading', { name: 'Share a list, ask a question' }).waitFor();
  await friend.getByText('This was deleted.').waitFor();
  assert.equal(await friend.getByText('Groceries').count(), 0);

  // A poll for two people: whoever lost their link gets another one, and the vote stays theirs.
  const poll = await makePoll(maker, { name: 'Trip', question: 'Where to?', options: ['Lake', 'Sea'], voters: ['Cleo', 'Dan'], by: 'Ann' });
  const cleo = await open(poll.Cleo);
  await cleo.getByRole('radio', { name: 'Lake' }).check();
  await cleo.getByRole('button', { name: 'Vote' }).click();
  await maker.getByText('1 person has voted.').waitFor();
  const people = await manage(maker);
  await people.getByText('has voted', { exact: true }).waitFor();
  await people.getByRole('button', { name: 'New link for Cleo' }).click();
  const renewed = await people.getByRole('textbox', { name: 'New link of Cleo' }).inputValue();
  const again = await open(renewed);
  await again.getByRole('button', { name: 'Change my vote' }).waitFor();
  const old = await open(poll.Cleo);
  await old.getByRole('alert').waitFor();
  await people.getByRole('button', { name: 'Close the poll' }).click();
  await again.getByText('The poll is closed.').waitFor();
  await people.getByRole('button', { name: 'Open the poll again' }).click();
  await again.getByRole('button', { name: 'Change my vote' }).waitFor();
};

await withShareables(run);
