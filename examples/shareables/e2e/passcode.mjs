// A new passcode while somebody is without a network: what they added is kept until they open the list again, and sent once.

import assert from 'node:assert/strict';
import { stores } from 'trestle-web-kit/e2e/queue.mjs';
import { withoutWorker } from 'trestle-web-kit/e2e/waiting.mjs';
import { add, box, items, makeChecklist, openAs, shows, withShareables } from './harness.mjs';

await withShareables(async (open) => {
  const maker = await open();
  const { link, 'Admin passcode': admin } = await makeChecklist(maker, { name: 'Shopping', items: ['Milk'], by: 'Ana' });
  const friend = await openAs(open, link, 'Ben', { prepare: withoutWorker });
  await shows(friend, ['Milk']);
  await friend.locator('.connection[data-connection=live]').waitFor();
  await friend.context().setOffline(true);
  await friend.getByText('You are offline.').waitFor();
  await add(friend, 'Bread');
  await add(friend, 'Cheese');
  await box(friend, 'Cheese').check();
  await friend.getByText('3 changes wait.').waitFor();
  await stores(friend, 'trestle-shareables', 3);

  await maker.getByRole('button', { name: 'Manage' }).click();
  const dialog = maker.getByRole('dialog', { name: 'Manage' });
  await dialog.getByLabel('Admin passcode', { exact: true }).fill(admin);
  await dialog.getByRole('button', { name: 'New view passcode' }).click();
  const passcode = await dialog.getByRole('textbox', { name: 'New view passcode' }).inputValue();
  // Closed by the keyboard, the dialog leaves it where it was.
  await maker.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await maker.getByRole('button', { name: 'Manage' }).and(maker.locator(':focus')).waitFor();

  await friend.context().setOffline(false);
  await friend.getByText('The passcode has changed, or this browser was signed out.').waitFor();
  await friend.getByText('3 changes wait until you open Shopping again.').waitFor();
  await stores(friend, 'trestle-shareables', 3);
  assert.equal(await friend.getByText(/^Could not/u).count(), 0);
  // They outlive the page, too.
  await friend.reload();
  await friend.getByText('3 changes wait until you open Shopping again.').waitFor();
  await stores(friend, 'trestle-shareables', 3);
  assert.deepEqual(await items(maker), ['Milk']);

  await friend.getByLabel('Passcode', { exact: true }).fill(passcode);
  await friend.getByRole('button', { name: 'Open', exact: true }).click();
  await shows(maker, ['Milk', 'Bread', 'Cheese']);
  await box(maker, 'Cheese').and(maker.locator(':checked')).waitFor();
  await shows(friend, ['Milk', 'Bread', 'Cheese']);
  await friend.getByText(/until you open/u).waitFor({ state: 'detached' });
  await stores(friend, 'trestle-shareables', 0);
  await maker.reload();
  await shows(maker, ['Milk', 'Bread', 'Cheese']);

  // Without an end of the page in between, too.
  await friend.locator('.connection[data-connection=live]').waitFor();
  await friend.context().setOffline(true);
  await friend.getByText('You are offline.').waitFor();
  await add(friend, 'Salt');
  await maker.getByRole('button', { name: 'Manage' }).click();
  await dialog.getByLabel('Admin passcode', { exact: true }).fill(admin);
  await dialog.getByRole('button', { name: 'New view passcode' }).click();
  const next = await dialog.getByRole('textbox', { name: 'New view passcode' }).inputValue();
  await maker.keyboard.press('Escape');
  await friend.context().setOffline(false);
  await friend.getByText('1 change waits until you open Shopping again.').waitFor();
  await friend.getByLabel('Passcode', { exact: true }).fill(next);
  await friend.getByRole('button', { name: 'Open', exact: true }).click();
  await shows(maker, ['Milk', 'Bread', 'Cheese', 'Salt']);
  await shows(friend, ['Milk', 'Bread', 'Cheese', 'Salt']);
  await stores(friend, 'trestle-shareables', 0);
});
