// A column and a table that are paged to their end hold no more than what is around their rows in sight, and what was evicted
// is there again when one scrolls back. Takes the binary.

import assert from 'node:assert/strict';
import { counts, send, withBoard } from './harness.mjs';
import { record } from './records.mjs';
import { withRecords } from './served.mjs';

const COUNT = 2400;
/** What the second half of the rows may add to the heap, in MiB: far less than those rows take. */
const GROWTH = 4;
const BEGAN = Date.now() - 10 * 86_400_000;
const name = (index) => `Company ${String(index).padStart(4, '0')}`;
const records = Array.from({ length: COUNT }, (_, index) =>
  record(name(index), [{ at: new Date(BEGAN + index * 1000), status: 'applied', dateApplied: '2026-10-05' }]),
);

/**
 * Scrolls a list, whose rows are links, to its end and back; `again` is the query that fetches what was evicted. Looks at the heap after
 * each `step` rows, whole pages: fewer than a list loads before it evicts, so that each half has seen the most that it holds.
 */
async function endAndBack(page, list, { again, step }) {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Performance.enable');
  const heap = async () => {
    // What weak references hold is let go after a collection, and collected by the next.
    await protocol.send('HeapProfiler.collectGarbage');
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    await protocol.send('HeapProfiler.collectGarbage');
    const { metrics } = await protocol.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === 'JSHeapUsedSize').value / 2 ** 20;
  };
  const shows = (text, end) =>
    page.waitForFunction(
      ([within, wanted, toEnd]) => {
        const scroller = document.querySelector(within);
        scroller.scrollTo(0, toEnd ? scroller.scrollHeight : 0);
        return [...scroller.querySelectorAll('a')].some((link) => link.textContent === wanted);
      },
      [list, text, end],
    );
  /** The most that the heap holds while these rows are scrolled by. */
  const most = async (from, to) => {
    const sizes = [];
    for (let at = from; at <= to; at += step) {
      await shows(name(COUNT - at), true);
      sizes.push(await heap());
    }
    return Math.max(...sizes);
  };
  const some = await most(step, COUNT / 2);
  const all = await most(COUNT / 2 + step, COUNT);
  assert(all - some < GROWTH, `the heap grew from ${some.toFixed(1)} to ${all.toFixed(1)} MiB over ${COUNT / 2} rows`);

  // The first rows are not held any more: they are asked for by their ids.
  const asked = page.waitForRequest((request) => {
    const { operationName, variables } = request.postDataJSON() ?? {};
    return operationName === again && variables.ids.length > 0;
  });
  for (const at of [1, 10]) await shows(name(COUNT - at), false);
  await asked;
}

await withRecords(process.argv[2], records, () =>
  withBoard(async (open) => {
    const page = await open('#/', { viewport: { width: 1440, height: 1600 } });
    await counts(page, 'Applied', '2,400');
    await endAndBack(page, '#column-APPLIED .cards', { again: 'CardsAgain', step: 120 });
    await counts(page, 'Applied', '2,400');

    const other = await open('#/table', { viewport: { width: 1440, height: 1600 } });
    await other.getByText('2,400 applications').waitFor();
    await endAndBack(other, '.table-scroller', { again: 'RowsAgain', step: 100 });

    // What is not held is changed like what is: it is read again before.
    await other.getByRole('checkbox', { name: `Select ${name(COUNT - 1)}`, exact: true }).check();
    // What is shown on the way takes the place of the first rows.
    for (let part = 0; part <= 1; part += 1 / 8) {
      await other.waitForFunction(
        ([count, at]) => {
          const scroller = document.querySelector('.table-scroller');
          scroller.scrollTo(0, scroller.scrollHeight * at);
          const shown = [...scroller.querySelectorAll('a')].map((link) => Number(link.textContent.slice(-4)));
          return shown.some((index) => Math.abs(index - count * (1 - at)) < count / 16);
        },
        [COUNT, part],
      );
    }
    await other.getByRole('checkbox', { name: `Select ${name(0)}`, exact: true }).check();
    const read = other.waitForRequest((request) => request.postDataJSON()?.operationName === 'Before');
    await other.getByRole('combobox', { name: 'Change status' }).selectOption('Rejected');
    await read;
    await other.getByText('2 moved to Rejected').waitFor();
    await counts(page, 'Applied', '2,398');
    await other.getByRole('button', { name: 'Undo' }).click();
    await counts(page, 'Applied', '2,400');
    for (const at of [0, COUNT - 1]) {
      const { applications } = await send('query Named($text: String!) { applications(filter: { text: $text }) { edges { node { status } } } }', { text: name(at) });
      assert.deepEqual(applications.edges, [{ node: { status: 'APPLIED' } }]);
    }
  }),
);
