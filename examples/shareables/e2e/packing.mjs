// Two browsers on a packing list: one made it, the other came by the link. Both tick and add, also without a network.

import assert from 'node:assert/strict';
import { stores } from 'trestle-web-kit/e2e/queue.mjs';
import { withoutWorker } from 'trestle-web-kit/e2e/waiting.mjs';
import { add, box, items, makeChecklist, shows, withShareables } from './harness.mjs';

await withShareables(async (open) => {
  const requests = [];
  const maker = await open();
  const { link } = await makeChecklist(maker, { name: 'Packing list', items: ['- Tent', '- Stove'], by: 'Ann' });
  await maker.getByRole('heading', { name: 'Packing list' }).waitFor();
  await shows(maker, ['Tent', 'Stove']);

  const friend = await open('#/', { prepare: withoutWorker });
  friend.on('request', (request) => requests.push(request.url()));
  await friend.goto(link);
  await friend.getByLabel(/^Your name/u).fill('Bob');
  // There is nothing to connect to yet.
  assert.equal(await friend.locator('.connection').count(), 0);
  await friend.getByRole('button', { name: 'Open', exact: true }).click();
  await shows(friend, ['Tent', 'Stove']);
  await friend.locator('.connection[data-connection=live]').waitFor();
  // The passcode is in no address that a server sees, and not in the browser's bar any longer.
  const passcode = link.split('/').at(-1).split('?')[0];
  assert(passcode.length >= 6 && requests.length > 0);
  assert.deepEqual(requests.filter((url) => url.includes(passcode)), []);
  assert(!friend.url().includes(passcode), friend.url());
  const friendPlace = new URL(friend.url()).hash;
  // Friends tick and add, and leave the rest to the maker.
  assert.equal(await friend.getByRole('button', { name: /^(?:Move|Delete|Manage)/u }).count(), 0);

  // Both at once.
  await box(maker, 'Tent').check();
  await box(friend, 'Stove').check();
  await box(friend, 'Tent').and(friend.locator(':checked')).waitFor();
  await box(maker, 'Stove').and(maker.locator(':checked')).waitFor();
  await maker.getByText('Bob', { exact: true }).waitFor();
  await add(maker, 'Lamp');
  await add(friend, 'Rope');
  await maker.getByText('2 of 4').waitFor();
  await friend.getByText('2 of 4').waitFor();

  // Without a network it goes on, and is sent in its order: what is added is ticked.
  await friend.context().setOffline(true);
  await friend.getByText('You are offline.').waitFor();
  await add(friend, 'Map');
  await box(friend, 'Map').check();
  await box(friend, 'Lamp').check();
  await friend.getByText('4 of 5').waitFor();
  await add(maker, 'Water');
  await shows(maker, [...(await items(maker)).slice(0, 4), 'Water']);
  await friend.context().setOffline(false);
  await maker.getByText('4 of 6').waitFor();
  await friend.getByText('4 of 6').waitFor();
  await box(maker, 'Map').and(maker.locator(':checked')).waitFor();
  assert.deepEqual((await items(friend)).toSorted(), ['Lamp', 'Map', 'Rope', 'Stove', 'Tent', 'Water']);
  assert.deepEqual(await items(friend), await items(maker));

  // By keyboard to the top, for both.
  const order = await items(maker);
  await maker.getByRole('button', { name: 'Move Water' }).focus();
  await maker.keyboard.press('Space');
  await maker.getByText(/^(?:Picked up Water|Water is at place 5 of 6)/u).waitFor({ state: 'attached' });
  // dnd-kit listens for further keys from a timer on that it set before it announced this.
  await maker.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  const at = order.indexOf('Water');
  for (let place = at; place > 0; place -= 1) {
    await maker.keyboard.press('ArrowUp');
    await maker.getByText(`Water is at place ${place} of 6.`).waitFor({ state: 'attached' });
  }
  await maker.keyboard.press('Space');
  const moved = ['Water', ...order.filter((name) => name !== 'Water')];
  await shows(friend, moved);
  await shows(maker, moved);

  // Changed and deleted.
  await maker.getByRole('button', { name: 'Change Rope' }).click();
  await maker.getByLabel('How much').fill('20 m');
  await maker.getByLabel('Who').fill('Cleo');
  await maker.getByRole('button', { name: 'Save' }).click();
  await friend.getByText('20 m').waitFor();
  await friend.getByText('Cleo').waitFor();
  await maker.getByRole('button', { name: 'Delete Lamp' }).click();
  await friend.getByText('3 of 5').waitFor();

  // A reload needs no passcode.
  await friend.reload();
  const left = moved.filter((name) => name !== 'Lamp');
  await shows(friend, left);

  // An answer that is lost adds nothing twice.
  let lost = 0;
  await friend.route('**/shareables/graphql', async (route) => {
    if (lost > 0 || !route.request().postData()?.includes('"operationName":"Add"')) return route.fallback();
    lost += 1;
    await route.fetch();
    return route.abort('internetdisconnected');
  });
  const again = friend.waitForResponse((answer) => lost > 0 && answer.request().postData()?.includes('"operationName":"Add"'));
  await add(friend, 'Soap');
  await shows(maker, [...left, 'Soap']);
  // What is sent again is the item from then on.
  await (await again).finished();
  await box(friend, 'Soap').check();
  await box(maker, 'Soap').and(maker.locator(':checked')).waitFor();
  assert.equal(lost, 1);
  await shows(friend, [...left, 'Soap']);
  await shows(maker, [...left, 'Soap']);
  await friend.unrouteAll();

  // What a closed page left unsent is sent by the next one.
  await friend.context().setOffline(true);
  await friend.getByText('You are offline.').waitFor();
  await add(friend, 'Towel');
  await friend.getByText('1 change waits.').waitFor();
  await stores(friend, 'trestle-shareables', 1);
  await friend.close();
  await friend.context().setOffline(false);
  const next = await open('#/', { beside: friend });
  await next.getByText('1 change from before sent').waitFor();
  await shows(maker, [...left, 'Soap', 'Towel']);
  // Forgotten, it needs the passcode again.
  await next.getByRole('button', { name: 'Forget Packing list' }).click();
  await next.getByText('Packing list is forgotten in this browser').waitFor();
  await next.evaluate((hash) => (location.hash = hash), friendPlace);
  await next.getByLabel('Passcode', { exact: true }).waitFor();
  assert.equal(await next.locator('.connection').count(), 0);

  // The maker who follows the link for friends remains the maker.
  await maker.goto(link);
  await maker.getByRole('button', { name: 'Manage' }).waitFor();
});
