// The playground in a real browser: it mounts, introspects, runs its example query and shows the
// answer, with no request off the origin and no error on the console.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { createApplication, endpoint } from './harness.mjs';

const BROWSER = process.env.TRESTLE_CHROMIUM ?? '/usr/bin/chromium';
const COMPANY = 'Playground Example Company';

const url = endpoint();
const origin = new URL(url).origin;
await createApplication(url, COMPANY);

const profile = await mkdtemp(join(tmpdir(), 'trestle-playground-'));
const context = await chromium.launchPersistentContext(profile, {
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

/** What must stay empty: requests off the origin, console errors, exceptions. */
const complaints = [];

try {
  await context.route('**/*', (route) => {
    const target = new URL(route.request().url());
    if (target.origin === origin || target.protocol === 'data:') {
      return route.continue();
    }
    complaints.push(`request off the origin: ${target}`);
    return route.abort();
  });

  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') {
      complaints.push(`console: ${message.text()} (${message.location().url})`);
    }
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.stack ?? error}`));
  page.on('response', (response) => {
    if (response.status() >= 400) {
      complaints.push(`HTTP ${response.status()}: ${response.url()}`);
    }
  });

  const introspected = page.waitForResponse((response) =>
    response.request().postData()?.includes('__schema'),
  );
  await page.goto(url);
  await page.locator('.graphiql-query-editor .monaco-editor').waitFor();
  const introspection = await (await introspected).json();
  assert(introspection.data?.__schema, JSON.stringify(introspection));
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.locator('.graphiql-doc-explorer').getByText('Mutation', { exact: true }).waitFor();
  assert(page.workers().length > 0, 'Monaco runs without its workers');

  const answered = page.waitForResponse((response) => {
    const sent = response.request().postData();
    return sent !== null && !sent.includes('__schema');
  });
  await page.getByRole('button', { name: /^Execute query/ }).click();
  const answer = await (await answered).json();
  assert.equal(answer.errors, undefined, JSON.stringify(answer));
  assert(JSON.stringify(answer).includes(COMPANY), 'the example query does not list applications');

  // Monaco holds only the lines in view, in any order, with spaces of its own: what it shows is
  // the beginning of the answer.
  const expected = compact(JSON.stringify(answer));
  await page.waitForFunction(() =>
    document.querySelector('.result-window .view-lines')?.textContent.includes('"data"'),
  );
  const shown = compact(
    await page.locator('.result-window .view-line').evaluateAll((lines) =>
      lines
        .sort((one, other) => parseFloat(one.style.top) - parseFloat(other.style.top))
        .map((line) => line.textContent)
        .join(''),
    ),
  );
  assert(expected.startsWith(shown), `the answer is ${expected}, shown is ${shown}`);
  assert(shown.includes(compact(COMPANY)), `the answer is not shown: ${shown}`);
  assert.deepEqual(complaints, []);
  console.log('the playground mounted, introspected and ran its example query');
} catch (error) {
  console.error(complaints.join('\n'));
  throw error;
} finally {
  await context.close();
  await rm(profile, { recursive: true, force: true });
}

function compact(text) {
  return text.replace(/\s/gu, '');
}
