// One answer that never comes keeps the page of runs from being live no longer than the others take.

import assert from 'node:assert/strict';
import { withProxy } from 'trestle-web-kit/e2e/proxy.mjs';
import { withGraphRuns } from './harness.mjs';

const live = (page) => page.locator('[data-connection="live"]').waitFor({ state: 'attached' });

await withGraphRuns(async (open) => {
  await withProxy(async (origin, deal) => {
    const operations = new Set();
    deal((_, operation) => {
      if (operation) operations.add(operation);
      return false;
    });
    const page = await open(`${origin}/graph-runs/`);
    await live(page);
    await page.getByText('No runs yet.').waitFor();
    assert(operations.size > 0);
    for (const operation of operations) {
      deal((_, sent) => sent === operation);
      const late = await open(`${origin}/graph-runs/`);
      await live(late);
      await late.context().close();
    }
    deal(() => false);
  });
}, { expected: /net::ERR_/u });
