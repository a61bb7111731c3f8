// People sign in at an identity provider, upload a folder as who they are, and sign out. Takes the binary.

import assert from 'node:assert/strict';
import { signInAs, withProvider } from 'trestle-web-kit/e2e/provider.mjs';
import { withServer } from 'trestle-web-kit/e2e/served.mjs';
import { ARCHIVE, drawn, drop, NETWORK, withGraphRuns } from './harness.mjs';

const dialogOf = (page) => page.getByRole('dialog', { name: 'Who are you?' });

async function run(open, folder, provider) {
  const page = await open();
  await dialogOf(page).waitFor();
  await signInAs(page, provider, 'ada');
  await page.getByText('No runs yet.').waitFor();
  await drop(page, await folder('shop', { 'main.tf': NETWORK, 'modules/archive/main.tf': ARCHIVE }));
  await drawn(page);
  const beside = await open('#/', { beside: page });
  await beside.getByRole('list', { name: 'Runs' }).getByRole('link').waitFor();
  assert.deepEqual(provider.did, ['code']);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/\/graph-runs\/$/u);
  for (const each of [page, beside]) await dialogOf(each).waitFor();
  assert.deepEqual(provider.did, ['code', 'revoked', 'ended']);
  assert.equal(await beside.getByRole('list', { name: 'Runs' }).count(), 0);
}

await withProvider((provider) =>
  withServer(process.argv[2], ['--service', 'graph-runs', ...provider.flags], () =>
    // Chromium reports each request that was refused.
    withGraphRuns((open, folder) => run(open, folder, provider), { expected: /status of 40[13] |WebSocket/u }),
  ),
);
