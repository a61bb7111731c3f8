// The playground page without a bundle: the browser checks the integrity of each file that it names,
// here served from the same npm packages that the CDN serves, and the page works with them.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { usePlayground } from './browser.mjs';
import { endpoint } from './harness.mjs';

const PLACEHOLDER = '{"endpoint":"/graphql","examples":[]}';
const EXAMPLE = `query FirstPage {
  applications(first: 1) {
    edges {
      node {
        companyName
      }
    }
  }
}`;

const url = endpoint();
const template = await readFile(new URL('../../playground/cdn.html', import.meta.url), 'utf8');
assert.equal(template.split(PLACEHOLDER).length, 2, 'the placeholder stands in the page once');
const settings = { endpoint: new URL(url).pathname, examples: [EXAMPLE] };
const page = template.replace(PLACEHOLDER, JSON.stringify(settings));

const answers = new Map([[url, { contentType: 'text/html; charset=utf-8', body: page }]]);
for (const [tag, address] of page.matchAll(/<(?:script|link)[^>]+(?:src|href)="(https:[^"]+)"[^>]*>/gu)) {
  assert.match(tag, /integrity="sha384-[^"]{64}"/u, `${address} has no integrity`);
  answers.set(address, await fileOf(address));
}
assert.equal(answers.size, 5, 'the page, one style sheet and three scripts');

/** The file behind a CDN address, from the installed package of exactly that version. */
async function fileOf(address) {
  const [, name, version, path] = address.match(/\/npm\/([^@]+)@([^/]+)\/(.+)$/u);
  const packages = new URL(`./node_modules/${name}/`, import.meta.url);
  const manifest = JSON.parse(await readFile(new URL('package.json', packages), 'utf8'));
  assert.equal(version, manifest.version, `${name} is installed in another version`);
  return {
    contentType: path.endsWith('.css') ? 'text/css' : 'text/javascript',
    headers: { 'access-control-allow-origin': '*' },
    body: await readFile(new URL(path, packages)),
  };
}

await usePlayground(url, {
  selectors: {
    editor: '.graphiql-query-editor .CodeMirror',
    line: '.result-window .CodeMirror-line',
  },
  answers,
});
console.log('the playground from the CDN mounted, introspected and ran its example query');
