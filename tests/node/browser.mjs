// A real browser on a playground page: no request may leave for an address that the test does not
// answer itself, and nothing may complain.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { createApplication } from './harness.mjs';

const BROWSER = process.env.TRESTLE_CHROMIUM ?? '/usr/bin/chromium';
/** What the first example creates or lists. One word: Monaco shows spaces as another character. */
const COMPANY = 'Trestle';

/**
 * Opens `url` and uses the page as a person would: waits for its editor, reads the documentation,
 * runs the first example and reads the answer. Fails on any console error, exception, failed
 * response, or request off the origin that `answers` does not hold.
 *
 * @param url the GraphQL endpoint, which a browser sees as the page
 * @param selectors `editor`: there once the page is mounted; `line`: one shown line of the answer
 * @param answers files by URL, as Playwright's `fulfill` takes them, in place of the network
 * @param inspect called with the mounted page, for what only one kind of page has
 */
export async function usePlayground(url, { selectors, answers = new Map(), inspect }) {
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
  const complaints = [];
  try {
    await guard(context, new URL(url).origin, answers, complaints);
    const page = await context.newPage();
    listen(page, complaints);
    await mount(page, url, selectors.editor);
    await inspect?.(page);
    await runExample(page, selectors.line);
    assert.deepEqual(complaints, []);
  } catch (error) {
    console.error(complaints.join('\n'));
    throw error;
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
}

function guard(context, origin, answers, complaints) {
  return context.route('**/*', (route) => {
    const request = route.request();
    const answer = answers.get(request.url());
    if (answer && request.method() === 'GET') {
      return route.fulfill(answer);
    }
    const target = new URL(request.url());
    if (target.origin === origin || target.protocol === 'data:') {
      return route.continue();
    }
    complaints.push(`request off the origin: ${target}`);
    return route.abort();
  });
}

function listen(page, complaints) {
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
}

/** Opens the page and waits until its editor stands and the schema has arrived in its docs. */
async function mount(page, url, editor) {
  const [introspected] = await Promise.all([
    page.waitForResponse((response) => response.request().postData()?.includes('__schema')),
    page.goto(url).then(() => page.locator(editor).waitFor()),
  ]);
  const introspection = await introspected.json();
  assert(introspection.data?.__schema, JSON.stringify(introspection));
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.locator('.graphiql-doc-explorer').getByText('Mutation', { exact: true }).waitFor();
}

/** Runs the example in the open tab; what the page shows must be what the server answered. */
async function runExample(page, line) {
  const [answered] = await Promise.all([
    page.waitForResponse((response) => {
      const sent = response.request().postData();
      return sent !== null && !sent.includes('__schema');
    }),
    page.getByRole('button', { name: /^Execute query/ }).click(),
  ]);
  const answer = await answered.json();
  assert.equal(answer.errors, undefined, JSON.stringify(answer));
  assert(JSON.stringify(answer).includes(COMPANY), 'the first example shows no application');

  await page.locator(line, { hasText: COMPANY }).first().waitFor();
  // Editors hold only the lines in view, in any order, with spaces of their own: what is shown is
  // the beginning of the answer.
  const shown = await page
    .locator(line)
    .evaluateAll((lines) =>
      lines
        .map((element) => [element.getBoundingClientRect().top, element.textContent])
        .sort(([one], [other]) => one - other)
        .map(([, text]) => text)
        .join(''),
    );
  const expected = compact(JSON.stringify(answer));
  assert(expected.startsWith(compact(shown)), `the answer is ${expected}, shown is ${shown}`);
}

function compact(text) {
  return text.replace(/[\s\u200b]/gu, '');
}
