// What every script here shares: browsers on the board that a real server shows, and plain requests. A
// failed assertion ends a script with its message and exit code 1.

import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

/** Beyond this a script is stuck: the longest takes some ten seconds. */
const LIMIT_MS = 300_000;

/** How long a page may take for one step, on a busy machine. */
const STEP_MS = Number(process.env.TRESTLE_STEP_MS ?? 60_000);

const BROWSER = process.env.TRESTLE_CHROMIUM ?? '/usr/bin/chromium';

let server = process.argv[2];

/** The server's GraphQL URL: the first argument, unless the script started one of its own. */
export function endpoint() {
  assert(server?.startsWith('http'), 'give the GraphQL URL as the first argument');
  return server;
}

/** From now on, everything here is about the server with this GraphQL URL. */
export function connect(url) {
  server = url;
}

/** Sends one operation with plain fetch and answers its `data`; any error fails. */
export async function send(query, variables, key) {
  const response = await fetch(endpoint(), {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json',
      'content-type': 'application/json',
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const { data, errors } = JSON.parse(text);
  assert.equal(errors, undefined, text);
  return data;
}

/** Makes one application as another program would, and answers its id. */
export async function create(input, key) {
  const { createApplication } = await send(
    `mutation Create($input: CreateApplicationInput!) {
      createApplication(input: $input) { application { id } userErrors { message } }
    }`,
    { input: { positionTitle: 'Engineer', ...input } },
    key,
  );
  assert.deepEqual(createApplication.userErrors, []);
  return createApplication.application.id;
}

/** What the server holds of an application. */
export async function stored(id) {
  const { application } = await send(
    `query One($id: ID!) {
      application(id: $id) {
        version status companyName positionTitle notes salaryMin isArchived
        interviewStages { name order isCompleted notes }
      }
    }`,
    { id },
  );
  return application;
}

/** A browser that asks nobody but the server. */
export function launch() {
  return chromium.launch({
    executablePath: BROWSER,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Where the server shows the board. */
export function board() {
  return new URL('/board/', endpoint()).href;
}

/**
 * Calls `use` with a function that opens one more browser on the board: each has a cache and a network
 * of its own. Fails on anything that a page complains of, unless it is what `expected` fits.
 */
export async function withBoard(use, { expected } = {}) {
  setTimeout(() => {
    console.error(`gave up after ${LIMIT_MS / 1000} s`);
    process.exit(1);
  }, LIMIT_MS).unref();
  const base = board();
  const browser = await launch();
  const complaints = [];
  async function open(path = '#/', { sockets, beside, currency, ...options } = {}) {
    // A further tab of the browser of another page, or a browser of its own.
    const context = beside?.context() ?? (await browser.newContext({ viewport: { width: 2400, height: 900 }, ...options }));
    if (currency) await context.addInitScript((code) => localStorage.setItem('trestle-board-currency', code), currency);
    const page = await context.newPage();
    page.setDefaultTimeout(STEP_MS);
    listen(page, complaints);
    if (sockets) await page.routeWebSocket(/graphql/u, sockets);
    page.board = base;
    await page.goto(path.startsWith('#') ? base + path : path);
    return page;
  }
  try {
    await use(open);
    assert.deepEqual(complaints.filter((complaint) => !expected?.test(complaint)), []);
  } catch (error) {
    for (const context of browser.contexts()) {
      for (const page of context.pages()) {
        console.error(`--- what the page showed ---\n${await page.locator('body').innerText()}`);
      }
    }
    console.error(complaints.join('\n'));
    throw error;
  } finally {
    await browser.close();
  }
}

function listen(page, complaints) {
  page.on('console', (message) => {
    // Chromium reports each request that a lost network fails.
    const lost = message.text().includes('net::ERR_INTERNET_DISCONNECTED');
    if (['error', 'warning'].includes(message.type()) && !lost) {
      complaints.push(`console: ${message.text()} (${message.location().url})`);
    }
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.stack ?? error}`));
}

/** Waits until the server holds these values of an application. */
export async function arrived(id, values) {
  for (let tries = 0; ; tries += 1) {
    const now = await stored(id);
    if (Object.entries(values).every(([field, value]) => now?.[field] === value)) return;
    assert(tries < 300, `${JSON.stringify(now)} is not ${JSON.stringify(values)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The column with this title. */
export function column(page, title) {
  return page.getByRole('region', { name: title, exact: true });
}

/** The card of a company, within a column or on the page. */
export function card(within, company) {
  return within.getByRole('article', { name: new RegExp(`^${company}, `, 'u') });
}

/** Does something in the page and waits for the answer to the mutation that it sends. */
export async function saved(page, mutation, action) {
  const sent = (response) => response.request().postData()?.includes(`"operationName":"${mutation}"`);
  await Promise.all([page.waitForResponse(sent), action()]);
}

/** The number beside a column's title, once it is this one. */
export async function counts(page, title, number) {
  const total = column(page, title).locator('.total');
  await total.filter({ hasText: new RegExp(`^${number}$`, 'u') }).waitFor();
}

/** Lifts by keyboard what `grip` moves; `sign` is what is announced then. */
export async function lift(page, grip, sign) {
  await grip.focus();
  await page.keyboard.press('Space');
  await page.getByText(sign).waitFor({ state: 'attached' });
  // dnd-kit listens for further keys from a timer on that it set before it announced this.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
}

/** Drags a card by mouse onto a column. */
export async function drag(page, from, to) {
  const start = await from.boundingBox();
  const end = await to.boundingBox();
  assert(start && end, 'nothing to drag, or nowhere to');
  await page.mouse.move(start.x + 40, start.y + start.height - 8);
  await page.mouse.down();
  await page.mouse.move(start.x + 60, start.y + start.height, { steps: 4 });
  await page.mouse.move(end.x + end.width / 2, end.y + 160, { steps: 12 });
  await page.mouse.up();
}
