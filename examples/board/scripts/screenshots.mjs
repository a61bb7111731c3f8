// The pictures of the README: what `trestle serve --demo` shows, as the board, an application, the table and the insight.
//
//   node scripts/screenshots.mjs [path of the binary, ../../target/debug/trestle unless given]
//   node scripts/screenshots.mjs --check

import { makePictures, takePicture } from 'trestle-web-kit/e2e/pictures.mjs';
import { card, send, withBoard } from '../e2e/harness.mjs';

const DESK = { viewport: { width: 1360, height: 850 } };
const PHONE = { viewport: { width: 390, height: 844 } };

/** A page where nothing moves, when it is complete, and a function that takes its picture. */
async function camera(open, colorScheme, size, active) {
  const page = await open('#/', { ...size, colorScheme, reducedMotion: 'reduce' });
  const shot = async (name) => {
    await page.evaluate(() => document.fonts.ready);
    await takePicture(page, `${name}-${colorScheme}`);
  };
  await card(page, 'Aurelia Robotics').first().waitFor();
  await page.getByText(`${active} active`).waitFor();
  return { page, shot };
}

async function take(open, colorScheme) {
  const { applications } = await send('{ applications(first: 1) { totalCount } }');
  const active = applications.totalCount;
  const desk = await camera(open, colorScheme, DESK, active);
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
  const phone = await camera(open, colorScheme, PHONE, active);
  await phone.page.getByRole('button', { name: 'Interviewing', exact: true }).click();
  await phone.shot('phone');
}

const board = { page: 'board', data: ['crates/applications/src/demo.rs'], flags: ['--demo'] };
await makePictures(board, () =>
  withBoard(async (open) => {
    for (const colorScheme of ['light', 'dark']) await take(open, colorScheme);
  }),
);
