// The page opens again after its tab was closed and its server is gone, says so, and shows the runs as soon as it is back.
// Takes the binary.

import assert from 'node:assert/strict';
import { withServer } from 'trestle-web-kit/e2e/served.mjs';
import { stored, storedFiles } from 'trestle-web-kit/e2e/stored.mjs';
import { ARCHIVE, drawn, withGraphRuns } from './harness.mjs';

await withServer(process.argv[2], ['--service', 'graph-runs'], async ({ start, stop }) => {
  await withGraphRuns(
    async (open, folder) => {
      const page = await open();
      await page.locator('input[type=file]').first().setInputFiles(await folder('archive', { 'main.tf': ARCHIVE }));
      await drawn(page);
      await stored(page);
      const paths = (await storedFiles(page)).map(({ url }) => new URL(url).pathname);
      assert.deepEqual(paths.filter((path) => !/^\/graph-runs\/(?:assets\/[^/]+)?$/u.test(path)), []);
      const place = page.url();
      await page.close();
      await stop();
      const again = await open(place, { beside: page });
      await again.getByText('The server does not answer.').waitFor();
      await again.getByRole('link', { name: 'Graphs' }).waitFor();
      await start();
      await drawn(again);
      await again.getByText('The server does not answer.').waitFor({ state: 'detached' });
    },
    { expected: /ERR_CONNECTION_(?:REFUSED|RESET)|ERR_EMPTY_RESPONSE|WebSocket|Failed to fetch/u },
  );
});
