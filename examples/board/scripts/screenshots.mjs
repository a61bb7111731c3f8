// The pictures of the README: what `trestle serve --demo` shows, as the board, an application, the table and the insight.
//
//   node scripts/screenshots.mjs [path of the binary, ../../target/debug/trestle unless given]

import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connect } from 'trestle-web-kit/e2e/browser.mjs';
import { card, send, withBoard } from '../e2e/harness.mjs';

const TARGET = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));
const [binary = fileURLToPath(new URL('../../../target/debug/trestle', import.meta.url))] =
  process.argv.slice(2);
const DESK = { viewport: { width: 1360, height: 850 } };
const PHONE = { viewport: { width: 390, height: 844 } };

/** The URL that the server names when it listens. */
async function urlOf(server) {
  for await (const line of createInterface({ input: server.stdout })) {
    const [url] = line.match(/http:\/\/\S+\/graphql/u) ?? [];
    if (url) return url;
  }
  throw new Error('the server does not start');
}

/** A page where nothing moves, and a function that takes its picture when it is complete. */
async function camera(open, colorScheme, size) {
  const page = await open('#/', { ...size, colorScheme, reducedMotion: 'reduce' });
  const shot = async (name) => {
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: `${TARGET}${name}-${colorScheme}.png` });
  };
  await card(page, 'Aurelia Robotics').first().waitFor();
  await page.getByText(`${active} active`).waitFor();
  return { page, shot };
}

await mkdir(TARGET, { recursive: true });
const server = spawn(binary, ['serve', '--demo', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
process.once('exit', () => server.kill());
connect(await urlOf(server));
const { applications } = await send('{ applications(first: 1) { totalCount } }');
const active = applications.totalCount;
try {
  await withBoard(async (open) => {
    for (const colorScheme of ['light', 'dark']) {
      const desk = await camera(open, colorScheme, DESK);
      await desk.shot('board');
      await desk.page.getByRole('searchbox').fill('data');
      await desk.page.getByText(/found/u).first().waitFor();
      await desk.page.locator('.column.folded').first().waitFor();
      await desk.shot('search');
      await desk.page.getByRole('searchbox').fill('');
      await card(desk.page, 'Aurelia Robotics').getByRole('link').click();
      await desk.page.getByText('Application created').waitFor();
      await desk.shot('detail');
      await desk.page.keyboard.press('Escape');
      await desk.page.evaluate(() => (location.hash = '#/table'));
      await desk.page.getByText(`${active} applications`).waitFor();
      await desk.shot('table');
      await desk.page.setViewportSize({ ...DESK.viewport, height: 870 });
      await desk.page.evaluate(() => (location.hash = '#/insight'));
      await desk.page.getByText(/sent in \d+ weeks/u).waitFor();
      await desk.page.getByText(/^median of/u).first().waitFor();
      await desk.shot('insight');
      const phone = await camera(open, colorScheme, PHONE);
      await phone.page.getByRole('button', { name: 'Interviewing', exact: true }).click();
      await phone.shot('phone');
    }
  });
} finally {
  server.kill();
}
