// What every script here shares: the built page served beside a real server, browsers, and plain
// requests. A failed assertion ends a script with its message and exit code 1.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { preview } from 'vite';

/** Beyond this a script is stuck: the longest takes some ten seconds. */
const LIMIT_MS = 120_000;

/** How long a page may take for one step, on a busy machine. */
const STEP_MS = 20_000;

const BROWSER = process.env.TRESTLE_CHROMIUM ?? '/usr/bin/chromium';
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The policy that README.md asks of whoever serves the page. */
const POLICY = /^ {4}(default-src .*)$/mu;

setTimeout(() => {
  console.error(`gave up after ${LIMIT_MS / 1000} s`);
  process.exit(1);
}, LIMIT_MS).unref();

/** The server's GraphQL URL: the first argument, or TRESTLE_URL. */
export function endpoint() {
  const url = process.argv[2] ?? process.env.TRESTLE_URL;
  assert(url, 'give the GraphQL URL as the first argument or in TRESTLE_URL');
  return url;
}

/** Sends one operation with plain fetch and answers its `data`; any error fails. */
export async function send(query, variables) {
  const response = await fetch(endpoint(), {
    method: 'POST',
    headers: { accept: 'application/graphql-response+json', 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const { data, errors } = JSON.parse(text);
  assert.equal(errors, undefined, text);
  return data;
}

/** Makes one application as another program would, and answers its id. */
export async function create(input) {
  const { createApplication } = await send(
    `mutation Create($input: CreateApplicationInput!) {
      createApplication(input: $input) { application { id } userErrors { message } }
    }`,
    { input: { positionTitle: 'Engineer', ...input } },
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
        interviewStages { name order isCompleted }
      }
    }`,
    { id },
  );
  return application;
}

/**
 * Serves the built page as README.md says, with the API beside it, and calls `use` with a function
 * that opens one more browser on it: each has a cache and a network of its own. Fails on anything that
 * a page complains of.
 */
export async function withBoard(use) {
  const readme = await readFile(`${ROOT}/README.md`, 'utf8');
  const policy = POLICY.exec(readme)?.[1];
  assert(policy, 'README.md names no content security policy');
  const { origin } = new URL(endpoint());
  const site = await preview({
    root: ROOT,
    logLevel: 'error',
    preview: {
      host: '127.0.0.1',
      port: 0,
      headers: { 'content-security-policy': policy },
      proxy: { '/graphql': { target: origin, ws: true } },
    },
  });
  const address = site.httpServer.address();
  const base = `http://127.0.0.1:${address.port}/board/`;
  const browser = await chromium.launch({
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
  const complaints = [];
  async function open(path = '#/', { deaf = false, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 2400, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(STEP_MS);
    listen(page, complaints);
    // A deaf page hears of no change that others make.
    if (deaf) await page.routeWebSocket(/graphql/u, () => {});
    await page.goto(base + path);
    return page;
  }
  try {
    await use(open);
    assert.deepEqual(complaints, []);
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
    await site.close();
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
