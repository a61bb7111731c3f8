// Makes the picture of this page in docs/screenshots, with the debug binary, or the one whose path is given.
// With `--check` in its place it says whether it is older than the page.

import { makePictures, takePicture } from 'trestle-web-kit/e2e/pictures.mjs';
import { add, box, makeChecklist, openAs, withShareables } from '../e2e/harness.mjs';

const ITEMS = ['Tent', 'Sleeping bags', 'Stove and gas', 'Lamp', 'First-aid kit'];

await makePictures({ page: 'shareables', flags: ['--service', 'shareables'] }, () =>
  withShareables(async (open) => {
    for (const colorScheme of ['light', 'dark']) {
      const looks = { colorScheme, viewport: { width: 880, height: 560 }, reducedMotion: 'reduce' };
      const page = await open('#/', looks);
      const { link } = await makeChecklist(page, { name: 'Packing list', items: ITEMS, by: 'Ann' });
      const friend = await openAs(open, link, 'Bob', looks);
      await box(page, 'Tent').check();
      await box(friend, 'Lamp').check();
      await add(friend, 'Rope');
      await page.getByText('2 of 6').waitFor();
      await page.getByRole('button', { name: 'Change Sleeping bags' }).click();
      await page.getByLabel('How much').fill('3');
      await page.getByLabel('Who').fill('Cleo');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Cleo').waitFor();
      await page.evaluate(() => document.activeElement?.blur());
      await takePicture(page, `shareables-${colorScheme}`);
    }
  }),
);
