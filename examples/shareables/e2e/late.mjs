// Answers that arrive late, and in another order than the server gave them, take nothing back that is shown. Takes the binary.

import assert from 'node:assert/strict';
import { withServer } from 'trestle-web-kit/e2e/served.mjs';
import { holdBack, sends, withoutWorker } from 'trestle-web-kit/e2e/waiting.mjs';
import { add, box, items, makeChecklist, openAs, shows, withShareables } from './harness.mjs';

const FLAGS = ['--service', 'shareables', '--shareables-secret', 'a-secret-of-the-test-that-is-long-enough'];

/** A list that was read before an addition, and arrives after it. */
async function readBefore(maker, friend, names) {
  const reading = await holdBack(friend, 'Shareable');
  await friend.reload();
  await reading.held;
  await shows(friend, names);
  await add(friend, 'Lamp');
  await shows(maker, [...names, 'Lamp']);
  await shows(friend, [...names, 'Lamp']);
  await reading.release();
  await friend.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  await shows(friend, [...names, 'Lamp']);
}

/** An item that is ticked before the server has answered that it was added: the tick shows all the time, and outlives the page. */
async function tickedAtOnce(open, maker, friend, names) {
  const adding = await holdBack(friend, 'Add');
  await add(friend, 'Rope');
  await adding.held;
  await shows(friend, [...names, 'Rope']);
  await box(friend, 'Rope').check();
  const ticking = await holdBack(friend, 'Tick');
  await adding.release();
  await ticking.held;
  assert(await box(friend, 'Rope').isChecked());
  await shows(friend, [...names, 'Rope']);
  await friend.close();
  // A second time, the tick is sent by the id that the page gave the item.
  const next = await open('#/', { beside: friend });
  await next.getByText('1 change from before sent').waitFor();
  await box(maker, 'Rope').and(maker.locator(':checked')).waitFor();
  assert.deepEqual(await items(maker), [...names, 'Rope']);
}

/** A pasted list is shown in its order before the server has answered. */
async function pasted(friend) {
  const adding = await holdBack(friend, 'Add');
  const names = await items(friend);
  const more = Array.from({ length: 6 }, (_, at) => `Part ${at}`);
  await friend.getByLabel('New item').evaluate((field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', text);
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, more.join('\n'));
  await adding.held;
  await shows(friend, [...names, ...more]);
  await adding.release();
  return [...names, ...more];
}

/** More devices than a page of them: all are listed in the end. As many as that would take minutes to sign in. */
async function manyDevices(maker) {
  await maker.route('**/shareables/graphql', async (route) => {
    if (!sends(route.request(), 'Devices')) return route.fallback();
    const { variables, ...asked } = route.request().postDataJSON();
    const isFirst = !variables.after;
    const response = await route.fetch({ postData: { ...asked, variables: { ...variables, after: null } } });
    const answer = await response.json();
    const { devices } = answer.data.shareable;
    assert(devices, JSON.stringify(answer));
    const [edge] = devices.edges;
    const named = (voterName) => ({ ...edge, node: { ...edge.node, id: voterName, voterName } });
    devices.edges = isFirst ? [edge, named('First')] : [named('Second'), named('Third')];
    devices.pageInfo = { ...devices.pageInfo, endCursor: isFirst ? 'first' : 'second', hasNextPage: isFirst };
    return route.fulfill({ response, json: answer });
  });
  await maker.getByRole('button', { name: 'Manage' }).click();
  const dialog = maker.getByRole('dialog', { name: 'Manage' });
  const devices = dialog.getByRole('list', { name: 'Devices that stay signed in' }).getByRole('listitem');
  await devices.filter({ hasText: 'First' }).waitFor();
  await dialog.getByRole('button', { name: 'Show more' }).click();
  await devices.filter({ hasText: 'Third' }).waitFor();
  const names = await devices.locator('b').allInnerTexts();
  assert.deepEqual(names.slice(1), ['First', 'Second', 'Third']);
  await dialog.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
}

await withServer(process.argv[2], FLAGS, async () => {
  await withShareables(async (open) => {
    const maker = await open();
    const { link } = await makeChecklist(maker, { name: 'Packing list', items: ['Tent'], by: 'Ann' });
    const friend = await openAs(open, link, 'Bob', { prepare: withoutWorker });
    await shows(friend, ['Tent']);
    await friend.locator('.connection[data-connection=live]').waitFor();
    await readBefore(maker, friend, ['Tent']);
    const all = await pasted(friend);
    await shows(maker, all);
    await tickedAtOnce(open, maker, friend, all);
    await manyDevices(maker);
  });
});
