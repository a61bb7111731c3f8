// Makes the picture of this page in docs/screenshots, with the debug binary, or the one whose path is given.
// With `--check` in its place it says whether it is older than the page.

import { makePictures, takePicture } from 'trestle-web-kit/e2e/pictures.mjs';
import { ARCHIVE, drawn, drop, NETWORK, withGraphRuns } from '../e2e/harness.mjs';

await makePictures({ page: 'graph-runs', flags: ['--service', 'graph-runs'] }, () =>
  withGraphRuns(async (open, folder) => {
    const shop = await folder('shop', { 'main.tf': NETWORK, 'modules/archive/main.tf': ARCHIVE });
    for (const colorScheme of ['light', 'dark']) {
      const page = await open('#/', { colorScheme, viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' });
      await drop(page, shop);
      await drawn(page);
      await page.getByRole('button').filter({ hasText: 'exposed-uses-datastore' }).first().click();
      await page.locator('.line[data-on=true]').first().waitFor();
      await page.mouse.move(0, 0);
      await takePicture(page, `graph-runs-${colorScheme}`);
    }
  }),
);
