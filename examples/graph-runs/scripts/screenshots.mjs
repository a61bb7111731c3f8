// Makes the picture of this page in docs/screenshots, on a server whose GraphQL URL is given.

import { mkdir } from 'node:fs/promises';
import { ARCHIVE, drawn, drop, NETWORK, withGraphRuns } from '../e2e/harness.mjs';

const FOLDER = new URL('../../../docs/screenshots/', import.meta.url).pathname;

await mkdir(FOLDER, { recursive: true });
await withGraphRuns(async (open, folder) => {
  const shop = await folder('shop', { 'main.tf': NETWORK, 'modules/archive/main.tf': ARCHIVE });
  for (const colorScheme of ['light', 'dark']) {
    const page = await open('#/', { colorScheme, viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' });
    await drop(page, shop);
    await drawn(page);
    await page.getByRole('button').filter({ hasText: 'exposed-uses-datastore' }).first().click();
    await page.locator('.line[data-on=true]').first().waitFor();
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `${FOLDER}graph-runs-${colorScheme}.png` });
  }
});
