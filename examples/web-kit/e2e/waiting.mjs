// How scripts wait for what no page shows, and decide in which order answers arrive.

import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

/** How often it is asked, and after how long again, in milliseconds: together as long as a page may take for one step. */
const TRIES = 1200;
const PAUSE_MS = 50;

/** Asks until the answer fits, and returns it. */
export async function eventually(ask, fits) {
  for (let tries = 0; ; tries += 1) {
    const now = await ask();
    if (fits(now)) return now;
    assert(tries < TRIES, `${JSON.stringify(now)} does not fit ${fits}`);
    await setTimeout(PAUSE_MS);
  }
}

/**
 * Prepares a browser to have no service worker, for a script that loses the network or fails requests: Chromium complains of a
 * worker that is loaded meanwhile, and what a worker asks for passes by what a script does to the requests of its page.
 */
export function withoutWorker(context) {
  return context.addInitScript(() => delete Navigator.prototype.serviceWorker);
}

/** Whether the browser would ask before it leaves the page. */
export function asksBeforeLeaving(page) {
  return page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
}

/** Whether a request, or the request of an answer, sends this operation. */
export function sends(request, operation) {
  return request.postData()?.includes(`"operationName":"${operation}"`) ?? false;
}

/** A promise and what resolves it: Node has `Promise.withResolvers` from version 22 on. */
function later() {
  let resolve = () => {};
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}

/**
 * Keeps the answers of an operation back until `release` is called, which resolves when the page has one of them. `held` resolves
 * when the server has given the first one.
 */
export async function holdBack(page, operation) {
  const answered = later();
  const released = later();
  const handle = async (route) => {
    if (!sends(route.request(), operation)) return route.fallback();
    const response = await route.fetch();
    answered.resolve();
    await released.promise;
    return route.fulfill({ response });
  };
  await page.route('**/graphql', handle);
  return {
    held: answered.promise,
    release: async () => {
      const arrived = page.waitForResponse((answer) => sends(answer.request(), operation));
      released.resolve();
      await (await arrived).finished();
      await page.unroute('**/graphql', handle);
    },
  };
}
