// What the scripts of all pages share: browsers on a page that a real server shows, and plain requests. A failed
// assertion ends a script with its message and exit code 1.

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

/**
 * Calls `use` with a function that opens one more browser on the page under `path`: each has a cache and a network of its
 * own. Fails on anything that a page complains of, unless it is what `expected` fits.
 */
export async function withPage(path, use, { expected } = {}) {
  setTimeout(() => {
    console.error(`gave up after ${LIMIT_MS / 1000} s`);
    process.exit(1);
  }, LIMIT_MS).unref();
  const base = new URL(path, endpoint()).href;
  const browser = await launch();
  const complaints = [];
  async function open(place = '#/', { sockets, beside, prepare, ...options } = {}) {
    // A further tab of the browser of another page, or a browser of its own.
    const context = beside?.context() ?? (await browser.newContext({ viewport: { width: 2400, height: 900 }, ...options }));
    await prepare?.(context);
    const page = await context.newPage();
    page.setDefaultTimeout(STEP_MS);
    listen(page, complaints);
    pressLikePeople(page);
    if (sockets) await page.routeWebSocket(/graphql/u, sockets);
    await page.goto(place.startsWith('#') ? base + place : place);
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

/**
 * Presses keys only after what has just appeared had a frame to listen to keys and take the focus: nobody answers within the frame
 * in which they see something, and a script on a busy machine does.
 */
function pressLikePeople(page) {
  const { keyboard } = page;
  const press = keyboard.press.bind(keyboard);
  keyboard.press = async (...keys) => {
    // A page that is being left has no next frame.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))).catch(() => {});
    await press(...keys);
  };
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
