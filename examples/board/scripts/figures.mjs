// How quick the board is on the rows that are there: the first paint and cards, the pages of its longest
// column to the end, what all of it takes in the document and in memory, and how long an interaction takes.
//
//   trestle import rows.csv && trestle serve --board
//   node scripts/figures.mjs http://127.0.0.1:8000/graphql
//
// One card is dragged to the next column and back a few times, which its history keeps.

import assert from 'node:assert/strict';
import { board, column, drag, launch, saved } from '../e2e/harness.mjs';

/** Wide enough for all columns, so that a card can be dragged without scrolling. */
const VIEWPORT = { width: 2400, height: 900 };
/** How often each interaction is measured. */
const ROUNDS = 5;
/** How long one page of a column may take. */
const PAGE_LIMIT_MS = 20_000;

/** Runs in the page before anything else: notes what cannot be asked for later. */
function observe() {
  const seen = { firstCards: 0, interactions: [], longestTask: 0, longestFrame: 0 };
  globalThis.seen = seen;
  new MutationObserver((_, self) => {
    if (!document.querySelector('.card')) return;
    self.disconnect();
    requestAnimationFrame(() => setTimeout(() => (seen.firstCards = performance.now())));
  }).observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const { name, duration, interactionId } of list.getEntries()) {
      if (interactionId) seen.interactions.push({ name, duration });
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      seen.longestTask = Math.max(seen.longestTask, duration);
    }
  }).observe({ type: 'longtask', buffered: true });
  let last = performance.now();
  requestAnimationFrame(function frame(now) {
    seen.longestFrame = Math.max(seen.longestFrame, now - last);
    last = now;
    requestAnimationFrame(frame);
  });
}

/** Scrolls a column to its end, page by page, and answers how long each took and how many cards came. */
async function pageThrough(section, { total, limit }) {
  const list = section.querySelector('.cards');
  const rows = list.querySelector('ul');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const lastIndex = () => Number(list.querySelector('li:last-child')?.dataset.index ?? -1);
  const times = [];
  while (lastIndex() < total - 1) {
    const height = rows.offsetHeight;
    const began = performance.now();
    // Cards that are measured change the height by less than a page, and where the end is.
    while (rows.offsetHeight < height + 500 && lastIndex() < total - 1) {
      if (performance.now() - began > limit) {
        throw new Error(`no page after ${lastIndex() + 1} of ${total} cards`);
      }
      list.scrollTo(0, list.scrollHeight);
      await frame();
    }
    times.push(performance.now() - began);
  }
  return times;
}

function quantile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function print(what, value) {
  console.log(`${what.padEnd(46)} ${value}`);
}

const ms = (value) => `${Math.round(value)} ms`;
const browser = await launch();
const page = await browser.newPage({ viewport: VIEWPORT });
const protocol = await page.context().newCDPSession(page);

/** What the document and the heap hold, after what nothing needs any more was freed. */
async function size() {
  await protocol.send('HeapProfiler.collectGarbage');
  const { metrics } = await protocol.send('Performance.getMetrics');
  const of = (name) => metrics.find((metric) => metric.name === name).value;
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
  return `${nodes} elements, ${(of('JSHeapUsedSize') / 2 ** 20).toFixed(1)} MiB`;
}

/** The longest of each round's interactions, and the longest frame meanwhile. */
async function measure(what, round) {
  const longest = [];
  const frames = [];
  for (let count = 0; count < ROUNDS; count += 1) {
    await page.evaluate(() => Object.assign(globalThis.seen, { interactions: [], longestFrame: 0 }));
    await round();
    // Entries come with the frame after; one that took less than 16 ms has none.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    const { interactions, longestFrame } = await page.evaluate(() => globalThis.seen);
    longest.push(Math.max(16, ...interactions.map(({ duration }) => duration)));
    frames.push(longestFrame);
  }
  print(`${what}: interaction, median and worst`, `${ms(quantile(longest, 0.5))}, ${ms(quantile(longest, 1))}`);
  print(`${what}: longest frame, median and worst`, `${ms(quantile(frames, 0.5))}, ${ms(quantile(frames, 1))}`);
}

try {
  await protocol.send('Performance.enable');
  await protocol.send('Network.enable');
  let transferred = 0;
  protocol.on('Network.loadingFinished', ({ encodedDataLength }) => (transferred += encodedDataLength));
  await page.addInitScript(observe);
  await page.goto(board());
  await page.waitForFunction(() => globalThis.seen.firstCards > 0);
  const [paint] = await page.evaluate(() =>
    performance.getEntriesByName('first-contentful-paint').map(({ startTime }) => startTime),
  );
  print('first contentful paint', ms(paint));
  // Further parts of the page come later.
  print('transferred until then', `${Math.round(transferred / 1000)} KB`);
  print('first cards painted', ms(await page.evaluate(() => globalThis.seen.firstCards)));
  await page.locator('.board-bar p').waitFor();
  const columns = await page.locator('.column').evaluateAll((sections) =>
    sections.map((section) => ({
      title: section.getAttribute('aria-label'),
      total: Number(section.querySelector('.total').textContent.replaceAll(',', '')),
    })),
  );
  const longest = columns.reduce((one, other) => (other.total > one.total ? other : one));
  const others = columns[columns.indexOf(longest) + 1] ?? columns[columns.length - 2];
  assert(longest.total > 0, 'there are no applications');
  print('applications', columns.reduce((sum, { total }) => sum + total, 0));
  print('elements and heap at first', await size());

  const from = column(page, longest.title);
  const section = await from.elementHandle();
  await page.evaluate(() => (globalThis.seen.longestTask = 0));
  const times = await section.evaluate(pageThrough, {
    total: longest.total,
    limit: PAGE_LIMIT_MS,
  });
  const some = Math.min(10, times.length);
  print(`further pages of ${longest.title}`, `${times.length}, to ${longest.total} cards`);
  if (times.length > 0) {
    print('a page, median and 95th percentile', `${ms(quantile(times, 0.5))}, ${ms(quantile(times, 0.95))}`);
    print(`the first and the last ${some}, median`, `${ms(quantile(times.slice(0, some), 0.5))}, ${ms(quantile(times.slice(-some), 0.5))}`);
    print('the longest task meanwhile', ms(await page.evaluate(() => globalThis.seen.longestTask)));
  }
  print('elements and heap with all of it', await size());

  await from.locator('.cards').evaluate((list) => list.scrollTo(0, 0));
  await from.locator('[data-index="0"]').waitFor();
  const name = await from.locator('[data-index="0"] article').getAttribute('aria-label');
  const named = (within) => within.getByRole('article', { name, exact: true }).first();
  const to = column(page, others.title);
  await measure('drag and drop', async () => {
    await saved(page, 'MoveApplication', () => drag(page, named(from), to));
    await named(to).waitFor();
    await saved(page, 'MoveApplication', () => drag(page, named(to), from));
    await named(from).waitFor();
  });
  await measure('open a card and close it', async () => {
    await named(from).getByRole('link').click();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
  await measure('search', async () => {
    const search = page.getByRole('searchbox');
    await search.pressSequentially('engineer', { delay: 30 });
    await page.getByRole('status').filter({ hasText: 'found' }).waitFor();
    await search.fill('');
    await named(from).waitFor();
  });
} finally {
  await browser.close();
}
