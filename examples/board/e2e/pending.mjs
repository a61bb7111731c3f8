// One answer of the first view that never comes keeps the page neither from being live nor from showing what others change.

import assert from 'node:assert/strict';
import { withProxy } from 'trestle-web-kit/e2e/proxy.mjs';
import { card, column, create, withBoard } from './harness.mjs';

await create({ companyName: 'Visa', status: 'APPLIED', nextAction: 'Call', nextActionDate: '2026-11-20' });

const live = (page) => page.locator('[data-connection="live"]').waitFor({ state: 'attached' });

/** The operations that a view sends until it is live. */
async function operationsOf(open, view) {
  const names = new Set();
  await withProxy(async (origin, deal) => {
    deal((_, operation) => {
      if (operation) names.add(operation);
      return false;
    });
    const page = await open(`${origin}/board/${view}`);
    await live(page);
    await page.waitForLoadState('networkidle');
    await page.context().close();
  });
  return [...names];
}

async function heldBack(open, view, operation) {
  await withProxy(async (origin, deal) => {
    deal((_, sent) => sent !== null && (operation === null || sent === operation));
    const page = await open(`${origin}/board/${view}`);
    await live(page);
    if (view === '#/' && operation !== null && operation !== 'Column') {
      const name = `After ${operation}`;
      await create({ companyName: name, status: 'APPLIED' });
      await card(column(page, 'Applied'), name).waitFor();
    }
    await page.context().close();
  });
}

await withBoard(async (open) => {
  for (const view of ['#/', '#/table', '#/agenda', '#/insight']) {
    const operations = await operationsOf(open, view);
    assert(operations.length > 1, `${view}: ${operations}`);
    // In turn, and all of them.
    for (const operation of [...operations, null]) await heldBack(open, view, operation);
  }
}, { expected: /net::ERR_/u });
