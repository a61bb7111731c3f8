// How much a page loads before a person sees what they came for, as the server sends it: compressed, with headers.

import assert from 'node:assert/strict';

/** The most that a first view takes, in bytes. */
const MOST = 150_000;

/**
 * Opens an address in a browser that has nothing of the page yet, waits for `shown`, and until what the page loads by itself
 * is there: the service worker loads the rest, which is no part of the first view.
 */
export async function weigh(open, address, shown) {
  const page = await open('about:blank');
  const session = await page.context().newCDPSession(page);
  const names = new Map();
  const sizes = new Map();
  session.on('Network.responseReceived', ({ requestId, response }) => names.set(requestId, response.url));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength));
  await session.send('Network.enable');
  await page.goto(address);
  await shown(page);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  const files = [...sizes].map(([id, size]) => `${size} ${names.get(id)}`);
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  assert(files.some((file) => file.endsWith('.woff2')) && files.some((file) => file.includes('/shared-')), files.join('\n'));
  assert(total <= MOST, `${total} bytes:\n${files.join('\n')}`);
  return page;
}
