// What a first view loads: the list of runs, and a run that somebody opens by its link.

import { endpoint } from 'trestle-web-kit/e2e/browser.mjs';
import { weigh } from 'trestle-web-kit/e2e/weight.mjs';
import { ARCHIVE, drawn, NETWORK, withGraphRuns } from './harness.mjs';

await withGraphRuns(async (open, folder) => {
  const base = new URL('/graph-runs/', endpoint()).href;
  await weigh(open, base, (page) => page.getByText('No runs yet.').waitFor());
  const maker = await open();
  const files = { 'main.tf': NETWORK, 'modules/archive/main.tf': ARCHIVE };
  await maker.locator('input[type=file]').first().setInputFiles(await folder('network', files));
  await drawn(maker);
  await weigh(open, maker.url(), drawn);
});
