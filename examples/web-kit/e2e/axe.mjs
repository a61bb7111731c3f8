// What axe-core finds on a page.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Fails on anything that axe finds. */
export async function examine(page, place) {
  // Colours are measured when nothing fades any more.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const report = await globalThis.axe.run(document);
    return report.violations.map(({ id: rule, help, nodes }) => ({
        rule,
        help,
        nodes: nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`),
      }));
  });
  assert.deepEqual(violations, [], place);
}
