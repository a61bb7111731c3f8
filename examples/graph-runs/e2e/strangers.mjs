// A proxy answers in the server's place while a folder is uploaded: what it says of the file is not believed, and what was read is
// sent again.

import { withProxy } from 'trestle-web-kit/e2e/proxy.mjs';
import { answer, STRANGERS } from 'trestle-web-kit/e2e/strangers.mjs';
import { ARCHIVE, drawn, drop, withGraphRuns } from './harness.mjs';

const SAMPLES = [200, 302, 403, 502].map((status, at) => ({ status, stranger: STRANGERS[at * 6] }));

/** Sends this instead of the server's first answer to requests that `is` names. */
function once(is, { status, stranger }) {
  let left = 1;
  return (request, operation, response) => {
    if (!response || left === 0 || !is(request, operation)) return false;
    left -= 1;
    answer(response, status, { ...stranger, headers: { ...stranger.headers, ...(status === 302 && { location: '/graph-runs/' }) } });
    return true;
  };
}

async function run(open, folder) {
  await withProxy(async (origin, deal) => {
    const files = await folder('before', { 'main.tf': ARCHIVE });
    const page = await open(`${origin}/graph-runs/`);
    await page.getByText('No runs yet.').waitFor();
    for (const sample of SAMPLES) {
      // The file itself, and that it is there: sent until the server has it.
      for (const is of [({ method }) => method === 'PUT', (_, operation) => operation === 'StartRun']) {
        deal(once(is, sample));
        await drop(page, files);
        await drawn(page);
        await page.getByRole('link', { name: 'Graphs' }).click();
      }
      // A run that may be there twice is made again by the person alone.
      deal(once((_, operation) => operation === 'CreateRun', sample));
      await drop(page, files);
      await page.getByRole('button', { name: 'Try again' }).click();
      await drawn(page);
      await page.getByRole('link', { name: 'Graphs' }).click();
    }
  });
}

// Chromium reports each request that fails.
await withGraphRuns(run, { expected: /Failed to load resource|WebSocket|net::ERR_/u });
