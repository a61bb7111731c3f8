// A new release takes the place of the stored one: with a network the page is never an old one, and without it is the newest
// that was opened. A server of the script's own serves the built files, and then those of another release.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'trestle-web-kit/e2e/browser.mjs';
import { stored, storedFiles } from 'trestle-web-kit/e2e/stored.mjs';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { withShareables } from './harness.mjs';

const BASE = '/shareables/';
/** What the build bundled. */
const BUNDLED = `${process.env.TRESTLE_PAGES_FOLDER}/shareables`;
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', json: 'application/json', woff2: 'font/woff2' };

const names = (await readdir(BUNDLED, { recursive: true })).filter((name) => /\.(?:html|js|css|svg|json|woff2)$/u.test(name));
const first = new Map(await Promise.all(names.map(async (name) => [name, await readFile(`${BUNDLED}/${name}`)])));
const [, entry] = /src="\/shareables\/(assets\/index-[^"]+)"/u.exec(String(first.get('index.html')));
const other = 'assets/index-another.js';

/** The same page with another entry, and with a mark. */
const second = new Map(
  [...first].map(([name, content]) => {
    if (name === entry) return [other, content];
    if (!/\.(?:html|js)$/u.test(name)) return [name, content];
    const text = String(content).replaceAll(entry.slice('assets/'.length), other.slice('assets/'.length));
    return [name, text.replace('without an account"', 'without an account, anew"').replace(/RELEASE = "\w+"/u, 'RELEASE = "another"')];
  }),
);

let files = first;
const server = createServer((request, response) => {
  const name = new URL(request.url, 'http://localhost').pathname.slice(BASE.length) || 'index.html';
  const content = files.get(name);
  const caching = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  response.writeHead(content ? 200 : 404, { 'content-type': TYPES[name.split('.').at(-1)] ?? 'text/plain', 'cache-control': caching });
  response.end(content);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
connect(`http://127.0.0.1:${server.address().port}/graphql`);

const isAnew = (page) => page.evaluate(() => document.querySelector('meta[name=description]').content.endsWith('anew'));

await withShareables(
  async (open) => {
    const page = await open();
    await stored(page);
    assert.equal(await isAnew(page), false);

    files = second;
    await page.reload();
    assert(await isAnew(page), 'the page is an old one');
    await eventually(() => page.evaluate(() => caches.keys()), (names) => names.every((name) => name.endsWith(' another')));
    const paths = (await storedFiles(page)).map(({ url }) => new URL(url).pathname);
    assert(paths.includes(BASE + other) && !paths.includes(BASE + entry), paths.join());

    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await page.reload();
    assert(await isAnew(page), 'the page is an old one');
    await page.getByRole('heading', { name: 'Share a list, ask a question' }).waitFor();
  },
  { expected: /ERR_CONNECTION_(?:REFUSED|RESET)|ERR_EMPTY_RESPONSE|Failed to fetch/u },
);
