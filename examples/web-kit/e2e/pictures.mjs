// Says when the pictures of a page are older than the page: what it looks like is hashed when they are made, and again by a test.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { withServer } from './served.mjs';

const ROOT = new URL('../../../', import.meta.url);
const NOTES = new URL('docs/screenshots/sources.json', ROOT);
/** What decides how a page looks. What only decides what it does is left out. */
const LOOKS = /\.(?:tsx|css|html|svg)$/u;

/** The hash of what decides how a page looks: its own files, those of all pages, and the `data` that it shows. */
async function looksOf(page, data) {
  const paths = [...data];
  for (const folder of [`examples/${page}`, 'examples/web-kit']) {
    for (const entry of await readdir(new URL(folder, ROOT), { recursive: true })) {
      if (LOOKS.test(entry) && !/(?:^|\/)(?:node_modules|dist)\//u.test(entry)) paths.push(`${folder}/${entry}`);
    }
  }
  const hash = createHash('sha256');
  for (const path of paths.sort()) hash.update(path).update(await readFile(new URL(path, ROOT)));
  return hash.digest('hex');
}

async function notes() {
  return JSON.parse(await readFile(NOTES, 'utf8').catch(() => '{}'));
}

/** Takes a picture of what a page shows, by its name in docs/screenshots. */
export function takePicture(page, name) {
  return page.screenshot({ path: fileURLToPath(new URL(`docs/screenshots/${name}.png`, ROOT)) });
}

/**
 * Makes the pictures of a page on a server with these flags, and notes what they were made of. The script's argument is the binary,
 * the debug one unless it is given; with `--check` in its place it only fails if the pictures were made of something else.
 */
export async function makePictures({ page, data = [], flags }, make) {
  const looks = await looksOf(page, data);
  const [, , binary = fileURLToPath(new URL('target/debug/trestle', ROOT))] = process.argv;
  if (binary === '--check') {
    const known = (await notes())[page];
    assert.equal(known, looks, `The pictures of ${page} in docs/screenshots are older than the page: run \`just pictures\`.`);
    return;
  }
  await withServer(binary, flags, make);
  await writeFile(NOTES, `${JSON.stringify({ ...(await notes()), [page]: looks }, null, 2)}\n`);
}
