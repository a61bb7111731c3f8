// axe-core finds nothing on any page, dark or light, wide or narrow; and a keyboard suffices.

import assert from 'node:assert/strict';
import { examine } from 'trestle-web-kit/e2e/axe.mjs';
import { ARCHIVE, drawn, NETWORK, PRIVATE, shape, withGraphRuns } from './harness.mjs';

const BUCKET = 'module.archive.aws_s3_bucket.logs';

/** Looks at what is open, and that nothing is wider than the window. */
async function look(page, place) {
  await examine(page, place);
  const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert(width <= room, `${place} is ${width} wide`);
}

await withGraphRuns(async (open, folder) => {
  const files = { 'main.tf': NETWORK, 'modules/archive/main.tf': ARCHIVE };
  const folders = [
    await folder('before', files),
    await folder('after', { ...files, 'modules/archive/main.tf': PRIVATE }),
  ];
  const maker = await open();
  await look(maker, 'without runs');
  const runs = [];
  for (const each of folders) {
    await maker.locator('input[type=file]').first().setInputFiles(each);
    await drawn(maker);
    runs.push(maker.url().split('/').at(-1));
    await maker.getByRole('link', { name: 'Graphs' }).click();
  }
  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [{ width: 1400, height: 900 }, { width: 320, height: 800 }]) {
      const page = await open('#/', { colorScheme, viewport, reducedMotion: 'reduce' });
      const place = (name) => `${name}, ${colorScheme}, ${viewport.width} wide`;
      await page.getByRole('checkbox').nth(1).waitFor();
      await look(page, place('runs'));
      await page.evaluate((id) => (location.hash = `#/runs/${id}`), runs[0]);
      await drawn(page);
      await look(page, place('a run'));
      await page.getByRole('button', { name: 'module.archive (2)' }).click();
      await page.getByRole('button').filter({ hasText: BUCKET }).first().click();
      await page.getByRole('region', { name: 'Selected node' }).waitFor();
      await look(page, place('a node'));
      await page.evaluate(([from, to]) => (location.hash = `#/compare/${from}/${to}`), runs);
      await page.getByText('Gone').first().waitFor();
      await look(page, place('a comparison'));
      await page.context().close();
    }
  }

  // From the address bar to a finding, its node and the picture without a mouse.
  const page = await open();
  const press = async (target, key) => {
    await target.waitFor();
    for (let presses = 0; presses < 80; presses += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press(key);
  };
  await press(page.getByRole('list', { name: 'Runs' }).getByRole('link').last(), 'Enter');
  await drawn(page);
  await press(page.getByRole('application'), '+');
  await press(page.getByRole('button').filter({ hasText: BUCKET }).first(), 'Enter');
  await page.locator(`.shape[data-node='${BUCKET}'][data-selected='true']`).waitFor();
  assert.equal(await shape(page, BUCKET).count(), 1);
  // And to two runs compared.
  await press(page.getByRole('link', { name: 'Graphs' }), 'Enter');
  for (const at of [0, 1]) await press(page.getByRole('checkbox', { name: /^Compare /u }).nth(at), 'Space');
  await press(page.getByRole('button', { name: 'Compare two' }), 'Enter');
  await press(page.getByRole('link', { name: /^Gone/u }).filter({ hasText: BUCKET }).first(), 'Enter');
  await page.locator(`.shape[data-node='${BUCKET}'][data-selected='true']`).waitFor();
});
