// Whether a page is stored in the browser.

/** Waits until the page's service worker has stored it. */
export async function stored(page) {
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active.state === 'activated') return;
    await new Promise((resolve) => {
      active.addEventListener('statechange', () => active.state === 'activated' && resolve());
    });
  });
}

/** Every address that the browser has stored an answer of, and all texts of the answers. */
export function storedFiles(page) {
  return page.evaluate(async () => {
    const found = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const answer = await cache.match(request);
        found.push({ cache: name, url: request.url, text: await answer.text() });
      }
    }
    return found;
  });
}
