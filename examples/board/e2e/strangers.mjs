// A proxy answers in the server's place, with any status and any body, while changes are made: none of them is lost, nobody is
// signed out by it, and nothing of it is shown. What the server itself refuses is over.

import assert from 'node:assert/strict';
import { withProxy } from 'trestle-web-kit/e2e/proxy.mjs';
import { stores as storesIn } from 'trestle-web-kit/e2e/queue.mjs';
import { answer, MARK, STRANGERS } from 'trestle-web-kit/e2e/strangers.mjs';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { arrived, card, column, create, openMenu, stored, withBoard } from './harness.mjs';

/** Statuses of proxies, networks and other servers. */
const STATUSES = [200, 201, 204, 302, 400, 401, 403, 404, 413, 418, 429, 451, 500, 502, 503, 504, 511, 599];
const SAMPLES = STATUSES.map((status, at) => ({ status, stranger: STRANGERS[(at * 5) % STRANGERS.length] }));
const REFUSED = '{"errors":[{"message":"Nobody may archive today.","extensions":{"code":"FORBIDDEN"}}]}';

const stores = (page, count) => storesIn(page, 'trestle-board', count);

const visa = await create({ companyName: 'Visa', status: 'INTERVIEWING' });
const ids = [];
// The newest card is at the top of its column.
for (const at of SAMPLES.keys()) ids.unshift(await create({ companyName: `Firm ${SAMPLES.length - at}.`, status: 'APPLIED' }));

async function archive(page, name) {
  await openMenu(page, card(page, name).getByRole('button', { name: `Actions for ${name}` }));
  await page.getByRole('menuitem', { name: 'Archive' }).press('Enter');
}

async function run(open) {
  await withProxy(async (origin, deal) => {
    const page = await open(`${origin}/board/`);
    await card(column(page, 'Interviewing'), 'Visa').waitFor();
    await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
    // The menu comes after the first page.
    await openMenu(page, card(page, 'Visa').getByRole('button', { name: 'Actions for Visa' }));
    await page.keyboard.press('Escape');

    for (const [at, { status, stranger }] of SAMPLES.entries()) {
      let answered = 0;
      deal((request, operation, response) => {
        if (request.url.endsWith('.js')) return false;
        if (operation === 'ArchiveApplication') answered += 1;
        if (response) answer(response, status, { ...stranger, headers: { ...stranger.headers, ...(status === 302 && { location: '/board/' }) } });
        return true;
      });
      await archive(page, `Firm ${at + 1}.`);
      await eventually(() => answered, (count) => count > 0);
      await page.getByText(`${at + 1} ${at === 0 ? 'change waits' : 'changes wait'}.`).waitFor();
      await stores(page, at + 1);
    }
    assert.equal(await page.getByRole('dialog').count(), 0, 'nobody is asked who they are');
    await card(page, 'Visa').waitFor();
    assert.equal((await stored(ids[0])).isArchived, false);

    // The API alone is not the server's, and the page is opened anew: all that waits is kept, and sent when the server answers.
    deal((request, _, response) => {
      if (!request.url.startsWith('/graphql')) return false;
      if (response) answer(response, 502, STRANGERS[0]);
      return true;
    });
    const empty = await page.context().newPage();
    await page.close();
    const next = await open(`${origin}/board/`, { beside: empty });
    await next.getByText(`${SAMPLES.length} changes wait.`).waitFor();
    await stores(next, SAMPLES.length);
    deal(() => false);
    for (const id of ids) await arrived(id, { isArchived: true });
    await stores(next, 0);

    // The server's own word decides.
    await card(column(next, 'Interviewing'), 'Visa').waitFor();
    deal((_, operation, response) => {
      if (operation !== 'ArchiveApplication') return false;
      answer(response, 200, { headers: { ...MARK, 'content-type': 'application/json' }, body: REFUSED });
      return true;
    });
    await archive(next, 'Visa');
    await next.getByText('Nobody may archive today.').waitFor();
    await card(column(next, 'Interviewing'), 'Visa').waitFor();
    await stores(next, 0);
    assert.equal((await stored(visa)).isArchived, false);
  });
}

// Chromium reports each request that fails.
await withBoard(run, { expected: /Failed to load resource|WebSocket|net::ERR_/u });
