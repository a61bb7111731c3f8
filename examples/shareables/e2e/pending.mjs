// One answer that never comes keeps a list neither from being live nor from showing what others change.

import assert from 'node:assert/strict';
import { withProxy } from 'trestle-web-kit/e2e/proxy.mjs';
import { add, makeChecklist, openAs, shows, withShareables } from './harness.mjs';

const live = (page) => page.locator('[data-connection="live"]').waitFor({ state: 'attached' });

await withShareables(async (open) => {
  const maker = await open();
  const { link } = await makeChecklist(maker, { name: 'Packing list', items: ['Tent'], by: 'Ann' });
  const items = ['Tent'];
  await shows(maker, items);
  const operations = new Set();
  await withProxy(async (origin, deal) => {
    const friend = await openAs(open, link.replace(/^https?:\/\/[^/]+/u, origin), 'Bob');
    await shows(friend, items);
    await live(friend);
    const place = friend.url();
    deal((_, operation) => {
      if (operation) operations.add(operation);
      return false;
    });
    const again = await open(place, { beside: friend });
    await shows(again, items);
    await live(again);
    // By this one the list is opened: before that, there is nothing to follow.
    operations.delete('UseRefreshToken');
    assert(operations.size > 0);

    // What was kept is shown, and what others add comes, whichever answer is late.
    for (const operation of operations) {
      deal((_, sent) => sent === operation);
      const late = await open(place, { beside: friend });
      await live(late);
      items.push(`After ${operation}`);
      await add(maker, items.at(-1));
      await shows(late, items);
      await late.close();
    }
    deal(() => false);
  });
}, { expected: /net::ERR_/u });
