// From the moment that a card is shown where a person put it, it is shown there and nowhere else until its change is decided, in
// whatever order the answer, the event of it and lists that were read before or after it arrive.

import assert from 'node:assert/strict';
import { eventually, sends } from 'trestle-web-kit/e2e/waiting.mjs';
import { arrived, card, column, counts, create, openMenu, send, withBoard } from './harness.mjs';

/** Every order of these. */
function orders(all) {
  if (all.length < 2) return [all];
  return all.flatMap((one) => orders(all.filter((other) => other !== one)).map((rest) => [one, ...rest]));
}

/** What is held back between the page and the server, by kind: mutations before and after the server, lists, events. */
class Held {
  #waiting = new Map();
  #holding = new Set();

  hold(...kinds) {
    for (const kind of kinds) this.#holding.add(kind);
  }

  /** Resolves when this is let through. */
  pass(kind) {
    if (!this.#holding.has(kind)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(kind, [...(this.#waiting.get(kind) ?? []), resolve]));
  }

  async until(kind, count = 1) {
    await eventually(() => this.#waiting.get(kind)?.length ?? 0, (held) => held >= count);
  }

  async release(kind) {
    await this.until(kind);
    this.#holding.delete(kind);
    for (const go of this.#waiting.get(kind)) go();
    this.#waiting.delete(kind);
  }

  async route(page) {
    await page.route('**/graphql', async (route) => {
      const isMove = sends(route.request(), 'MoveApplication');
      const isList = sends(route.request(), 'Column');
      if (!isMove && !isList) return route.fallback();
      if (isMove) await this.pass('sent');
      // The page may be closed meanwhile.
      const response = await route.fetch().catch(() => null);
      await this.pass(isMove ? 'answer' : 'lists');
      return response && route.fulfill({ response }).catch(() => {});
    });
  }

  sockets = (socket) => {
    const server = socket.connectToServer();
    server.onMessage(async (message) => {
      const isEvent = message.includes('"applicationChanged"');
      if (isEvent) await this.pass('event');
      socket.send(message);
    });
  };
}

/** Notes from now on in which columns the card is shown. */
async function watch(page, id) {
  await page.evaluate((card) => {
    window.seen = [];
    const look = () => {
      const items = [...document.querySelectorAll(`[data-card="${card}"]`)];
      const now = items.map((item) => item.closest('.column').getAttribute('aria-label')).join(' and ');
      if (window.seen.at(-1) !== now) window.seen.push(now);
    };
    look();
    window.watching?.disconnect();
    window.watching = new MutationObserver(look);
    window.watching.observe(document.body, { subtree: true, childList: true, attributes: true });
  }, id);
}

async function move(page, company, to) {
  const button = card(page, company).getByRole('button', { name: `Actions for ${company}` });
  await openMenu(page, button);
  await page.getByRole('menuitem', { name: to, exact: true }).press('Enter');
  await card(column(page, to), company).waitFor();
}

/** Has all lists read again: as after a credential was given. */
const readLists = (page) => page.evaluate(() => window.dispatchEvent(new Event('trestle-signed-in')));

const COLUMNS = 8;
let made = 0;

/** Moves a card meanwhile, and answers where it was shown if that was not in its column alone. */
async function nowhereElse(page, held, order, { lists, byOther }) {
  made += 1;
  const company = `Card${made}`;
  const id = await create({ companyName: company, status: 'APPLIED' });
  await card(column(page, 'Applied'), company).waitFor();
  held.hold('sent', 'answer', 'event', 'lists');
  const read = async () => {
    await readLists(page);
    await held.until('lists', COLUMNS);
  };
  await watch(page, id);
  if (lists === 'before') await read();
  if (byOther) {
    await send('mutation($input: UpdateApplicationInput!) { updateApplication(input: $input) { userErrors { code } } }', {
      input: { id, notes: 'From elsewhere' },
    });
  }
  await move(page, company, 'Interviewing');
  await held.release('sent');
  await held.until('answer');
  if (!byOther) await arrived(id, { status: 'INTERVIEWING' });
  if (lists === 'after') await read();
  for (const each of order) {
    await held.release(each);
    // What arrived is shown before the next.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 60)));
  }
  await arrived(id, { status: 'INTERVIEWING' });
  await counts(page, 'Interviewing', made);
  await counts(page, 'Applied', 0);
  const seen = await page.evaluate(() => window.seen);
  const since = seen.slice(seen.indexOf('Interviewing'));
  return since.length === 1 ? null : JSON.stringify(since);
}

await withBoard(async (open) => {
  const failures = [];
  for (const lists of ['before', 'after']) {
    for (const byOther of [false, true]) {
      for (const order of orders(['answer', 'event', 'lists'])) {
        const held = new Held();
        const page = await open('#/', { sockets: held.sockets });
        await held.route(page);
        await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
        const failure = await nowhereElse(page, held, order, { lists, byOther });
        if (failure) failures.push(`lists read ${lists}${byOther ? ', merged' : ''}, ${order}: ${failure}`);
        await page.context().close();
      }
    }
  }
  assert.deepEqual(failures, []);
});
