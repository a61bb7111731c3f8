// The service worker of a page: a page that was opened before opens again without a network. It stores the page itself and
// the files whose names hold a hash of their contents, and nothing else: no answer of the API, and no address, which may
// carry a passcode. `worker.ts` puts the names of the build in the place of those in capitals.

/* global BASE, ENTRY, FILES, HASHES, RELEASE */

const PREFIX = `trestle ${BASE} `;
const CACHE = PREFIX + RELEASE;
const ASSETS = `${BASE}assets/`;

/** The page of this release: of any other one, files would be missing. */
async function storePage(cache) {
  const page = await fetch(BASE, { cache: 'reload' });
  if (!page.ok || !(await page.clone().text()).includes(ENTRY)) throw new Error('the page is of another release');
  await cache.put(BASE, page);
}

/** A file as the build wrote it: the browser takes nothing else, whoever answers. */
function built(name) {
  return new Request(ASSETS + name, { integrity: HASHES[name] });
}

async function install() {
  const cache = await caches.open(CACHE);
  await storePage(cache);
  await cache.addAll(FILES.map(built));
  await self.skipWaiting();
}

async function activate() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** From the server, so that nobody gets an old page; the stored one only if the server cannot be reached. */
async function page(request) {
  try {
    const answer = await fetch(request);
    if (answer.status < 500) return answer;
  } catch {
    // There is no network, or no server.
  }
  const cache = await caches.open(CACHE);
  return (await cache.match(BASE)) ?? Response.error();
}

/** A name stands for one content for good. What this release does not know is not stored. */
async function asset(request) {
  const name = new URL(request.url).pathname.slice(ASSETS.length);
  if (!HASHES[name]) return fetch(request);
  const cache = await caches.open(CACHE);
  const stored = await cache.match(request.url);
  if (stored) return stored;
  const answer = await fetch(built(name));
  if (answer.ok) await cache.put(request.url, answer.clone());
  return answer;
}

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate' && pathname === BASE) event.respondWith(page(request));
  else if (pathname.startsWith(ASSETS)) event.respondWith(asset(request));
});
