// The parts of the first page are read at different moments. What changes between any two of them, before the page follows changes,
// is shown in all of them.

import assert from 'node:assert/strict';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { card, counts, create, withBoard } from './harness.mjs';

const OPERATIONS = ['Agenda', 'Column', 'Totals'];
const today = new Date().toISOString().slice(0, 10);

/** A stop for what is on its way: it goes on when the stop is opened. */
function stop() {
  let open;
  const passed = new Promise((resolve) => (open = resolve));
  return { passed, open };
}

await withBoard(async (open) => {
  const first = await open('about:blank');
  const seen = new Set();
  first.on('request', (request) => seen.add(operationOf(request)));
  await create({ companyName: 'Visa', status: 'APPLIED' });
  await first.goto(first.board);
  await card(first, 'Visa').waitFor();
  await first.locator('[data-connection="live"]').waitFor();
  for (const name of OPERATIONS) assert(seen.has(name), `${name} is no part of the first page any more: ${[...seen].join()}`);

  let created = 0;
  for (const name of OPERATIONS) {
    for (const isFirst of [true, false]) {
      const [rest, following] = [stop(), stop()];
      const page = await open('about:blank', {
        sockets: (socket) => {
          const server = socket.connectToServer();
          socket.onMessage((message) => following.passed.then(() => server.send(message)));
        },
      });
      await page.route('**/graphql*', async (route) => {
        if ((operationOf(route.request()) === name) !== isFirst) await rest.passed;
        await route.continue();
      });
      const pending = new Set();
      page.on('request', (request) => OPERATIONS.includes(operationOf(request)) && pending.add(request));
      page.on('requestfinished', (request) => pending.delete(request));
      const answered = page.waitForResponse((response) => OPERATIONS.includes(operationOf(response.request())));
      await page.goto(page.board);
      await (await answered).finished();
      const companyName = `${name} ${isFirst ? 'first' : 'last'}`;
      await create({ companyName, status: 'UNSUBMITTED', nextAction: 'Call', nextActionDate: today });
      created += 1;
      rest.open();
      await eventually(() => pending.size, (left) => left === 0);
      following.open();
      await card(page, companyName).waitFor();
      await page.getByRole('region', { name: 'This week' }).getByText(companyName).waitFor();
      await counts(page, 'To apply', created);
      await page.context().close();
    }
  }
});

/** The name of the operation that a request is of. */
function operationOf(request) {
  return JSON.parse(request.postData() ?? '{}').operationName;
}
