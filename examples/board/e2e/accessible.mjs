// axe-core finds nothing on any page, dark or light, wide or narrow; and a keyboard suffices.
// Takes the binary: the insight needs applications with a past, which are imported.

import assert from 'node:assert/strict';
import { examine } from 'trestle-web-kit/e2e/axe.mjs';
import { card, column, create, send, withBoard } from './harness.mjs';
import { record } from './records.mjs';
import { withRecords } from './served.mjs';

/** Something for every page to show; answers the id of the application with the most. */
async function fill() {
  const id = await create({
    companyName: 'Visa',
    status: 'GIVEN_OFFER',
    offerDueDate: '2026-01-10',
    nextAction: 'Call Kim',
    nextActionDate: new Date().toISOString().slice(0, 10),
    companyCategory: 'FINANCE',
    skillsMatch: 4,
    salaryMin: 90000,
  });
  await create({ companyName: 'Axon', status: 'APPLIED' });
  for (const name of ['Phone screen', 'Onsite']) {
    await send(
      `mutation { addInterviewStage(input: { applicationId: "${id}", name: "${name}", isCompleted: ${name === 'Onsite'} }) { userErrors { code } } }`,
    );
  }
  return id;
}

async function everyPage(open, id) {
  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [{ width: 1440, height: 900 }, { width: 320, height: 800 }]) {
      const page = await open('#/', { colorScheme, viewport, reducedMotion: 'reduce' });
      const place = (name) => `${name}, ${colorScheme}, ${viewport.width} wide`;
      await card(page, 'Visa').waitFor();
      await examine(page, place('board'));
      for (const [path, sign] of [
        [`#/applications/${id}`, page.getByRole('heading', { name: 'History' })],
        ['#/table', page.getByRole('link', { name: 'Axon' })],
        ['#/add', page.getByRole('heading', { name: 'Add an application' })],
        ['#/import', page.getByRole('heading', { name: 'Import applications' })],
        ['#/insight', page.getByText('median of 1').first()],
      ]) {
        await page.evaluate((hash) => (location.hash = hash), path);
        await sign.waitFor();
        await examine(page, place(path));
      }
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert(width <= viewport.width, place(`the page is ${width} wide`));
      await page.context().close();
    }
  }

  // From the address bar to another column without a mouse.
  const page = await open();
  await card(page, 'Axon').waitFor();
  const link = card(page, 'Axon').getByRole('link', { name: 'Axon' });
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await link.evaluate((element) => element === document.activeElement)) break;
  }
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Axon, Engineer' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await card(column(page, 'Applied'), 'Axon').waitFor();
}

const daysAgo = (days) => new Date(Date.now() - days * 86_400_000);
const past = ['applied', 'interviewing', 'given offer', 'declined offer'].map((status, step) => ({
  at: daysAgo(80 - 20 * step),
  status,
  dateApplied: daysAgo(80).toISOString().slice(0, 10),
}));

await withRecords(process.argv[2], [record('Hooli', past)], async () => {
  const id = await fill();
  await withBoard((open) => everyPage(open, id));
});
