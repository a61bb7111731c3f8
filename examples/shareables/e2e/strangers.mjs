// A proxy answers in the server's place while people tick and add: nothing is lost, and nobody has to open the list again.

import assert from 'node:assert/strict';
import { withProxy } from 'trestle-web-kit/e2e/proxy.mjs';
import { stores as storesIn } from 'trestle-web-kit/e2e/queue.mjs';
import { answer, STRANGERS } from 'trestle-web-kit/e2e/strangers.mjs';
import { eventually, withoutWorker } from 'trestle-web-kit/e2e/waiting.mjs';
import { add, box, makeChecklist, openAs, shows, withShareables } from './harness.mjs';

const SAMPLES = [200, 302, 401, 403, 404, 429, 502, 503].map((status, at) => ({ status, stranger: STRANGERS[at * 4] }));
const NAMES = SAMPLES.map((_, at) => `Thing ${at + 1}.`);

const stores = (page, count) => storesIn(page, 'trestle-shareables', count);

async function run(open) {
  await withProxy(async (origin, deal) => {
    const maker = await open();
    const { link } = await makeChecklist(maker, { name: 'Packing list', items: NAMES, by: 'Ann' });
    const friend = await openAs(open, link.replace(/^https?:\/\/[^/]+/u, origin), 'Bob', { prepare: withoutWorker });
    await shows(friend, NAMES);
    const place = friend.url();

    // The server is looked for and found: what is sent is answered by others all the same, and sent again.
    for (const [at, { status, stranger }] of SAMPLES.entries()) {
      let answered = 0;
      deal((_, operation, response) => {
        if (!operation) return false;
        answered += 1;
        answer(response, status, { ...stranger, headers: { ...stranger.headers, ...(status === 302 && { location: '/shareables/' }) } });
        return true;
      });
      await box(friend, NAMES[at]).check();
      if (at === 1) await add(friend, 'Samovar');
      await eventually(() => answered, (count) => count > 0);
      await stores(friend, at === 0 ? 1 : at + 2);
    }
    await friend.getByText(`${SAMPLES.length + 1} changes wait.`).waitFor();
    await shows(maker, NAMES);

    deal((request, _, response) => {
      if (!request.url.startsWith('/shareables/graphql')) return false;
      if (response) answer(response, 401, STRANGERS[0]);
      return true;
    });
    const empty = await friend.context().newPage();
    await friend.close();
    const next = await open(place, { beside: empty });
    await next.getByText(`${SAMPLES.length + 1} changes wait.`).waitFor();
    assert.equal(await next.getByLabel('Passcode', { exact: true }).count(), 0);
    deal(() => false);
    await shows(maker, [...NAMES, 'Samovar']);
    for (const name of NAMES) await box(maker, name).and(maker.locator(':checked')).waitFor();
    await stores(next, 0);
  });
}

// Chromium reports each request that fails.
await withShareables(run, { expected: /Failed to load resource|WebSocket|net::ERR_/u });
