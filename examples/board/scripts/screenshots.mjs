// The pictures of the README: a made-up search with its past, then the board, an application and the insight.
//
//   node scripts/screenshots.mjs [path of the binary, ../../target/debug/trestle unless given]

import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { card, withBoard } from '../e2e/harness.mjs';
import { withRecords } from '../e2e/served.mjs';
import { search } from './search.mjs';

const TARGET = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));
const [binary = fileURLToPath(new URL('../../../target/debug/trestle', import.meta.url))] =
  process.argv.slice(2);
const DESK = { viewport: { width: 1360, height: 850 } };
const PHONE = { viewport: { width: 390, height: 844 } };

const records = search(new Date());
const active = records.filter(({ isArchived }) => !isArchived).length;

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
await withRecords(binary, records, () =>
  withBoard(async (open) => {
    for (const colorScheme of ['light', 'dark']) {
      const desk = await camera(open, colorScheme, DESK);
      await desk.shot('board');
      if (colorScheme === 'light') {
        await card(desk.page, 'Aurelia Robotics').getByRole('link').click();
        await desk.page.getByText('Application created').waitFor();
        await desk.shot('detail');
      }
      await desk.page.setViewportSize({ ...DESK.viewport, height: 870 });
      await desk.page.evaluate(() => (location.hash = '#/insight'));
      await desk.page.getByText(/sent in \d+ weeks/u).waitFor();
      await desk.page.getByText(/^median of/u).first().waitFor();
      await desk.shot('insight');
    }
    const phone = await camera(open, 'light', PHONE);
    await phone.page.getByRole('button', { name: 'Interviewing', exact: true }).click();
    await phone.shot('phone');
  }),
);
