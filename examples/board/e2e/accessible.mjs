// axe-core finds nothing on any page, dark or light, wide or narrow; and a keyboard suffices.
// Takes the binary: the insight needs applications with a past, which are imported.

import assert from 'node:assert/strict';
import { examine } from 'trestle-web-kit/e2e/axe.mjs';
import { card, closeMenu, column, create, openMenu, send, withBoard } from './harness.mjs';
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
    salaryCurrency: 'EUR',
    salaryPeriod: 'YEAR',
    tags: ['rust', 'first choice'],
    location: 'Zürich',
    isRemote: true,
    postingText: 'We look for an engineer who knows graphs.',
  });
  await create({ companyName: 'Axon', status: 'APPLIED' });
  await send(
    `mutation { addContact(input: { applicationId: "${id}", name: "Kim Lee", email: "kim@visa.example" }) { userErrors { code } } }`,
  );
  for (const name of ['Phone screen', 'Onsite']) {
    await send(
      `mutation { addInterviewStage(input: { applicationId: "${id}", name: "${name}", isCompleted: ${name === 'Onsite'} }) { userErrors { code } } }`,
    );
  }
  return id;
}

/** What opens over a page by a button of its own. */
async function dialogs(page, place, id) {
  await page.evaluate(() => (location.hash = '#/table'));
  for (const part of ['Date and salary', 'Tags and place']) {
    await openMenu(page, page.getByRole('button', { name: 'Filter', exact: true }));
    await page.getByRole('menuitem', { name: part }).press('Enter');
    await page.getByRole('dialog', { name: /^Filter by/u }).waitFor();
    await examine(page, place(part));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  for (const name of ['Columns', 'Views']) {
    const button = page.getByRole('button', { name });
    await openMenu(page, button);
    await examine(page, place(name));
    await closeMenu(page, button);
  }
  await openMenu(page, page.getByRole('button', { name: 'Views' }));
  await page.getByRole('menuitem', { name: 'Save this view' }).press('Enter');
  await page.getByRole('dialog', { name: 'Save this view' }).waitFor();
  await examine(page, place('a view'));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // The fields of a contact, a posting that is unfolded, and an address that is shown.
  await page.evaluate((hash) => (location.hash = hash), `#/applications/${id}`);
  await page.getByRole('button', { name: 'Role of Kim Lee: Add' }).click();
  await page.getByRole('textbox', { name: 'Role of Kim Lee' }).waitFor();
  await page.getByRole('button', { name: /^Text of the posting/u, expanded: false }).click();
  await examine(page, place('fields that are edited'));
  await page.evaluate(() => (location.hash = '#/agenda'));
  const address = page.getByRole('region', { name: 'In your calendar' });
  await address.getByRole('button', { name: /^(?:Make an address|Renew)$/u }).click();
  const sure = page.getByRole('alertdialog').getByRole('button', { name: 'Renew' });
  const shown = address.getByRole('textbox', { name: 'Address for calendars' });
  await sure.or(shown).first().waitFor();
  if (await sure.isVisible()) {
    await examine(page, place('a question'));
    await sure.click();
  }
  await shown.waitFor();
  await examine(page, place('an address'));
}

async function everyPage(open, id) {
  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [{ width: 1440, height: 900 }, { width: 320, height: 800 }]) {
      const page = await open('#/', { colorScheme, viewport, reducedMotion: 'reduce' });
      const place = (name) => `${name}, ${colorScheme}, ${viewport.width} wide`;
      await card(page, 'Visa').waitFor();
      await examine(page, place('board'));
      for (const [path, sign] of [
        [`#/applications/${id}`, page.getByRole('link', { name: 'Write to Kim Lee' })],
        ['#/table', page.getByRole('link', { name: 'Axon' })],
        ['#/agenda', page.getByRole('region', { name: 'No answer' }).getByRole('link', { name: /^Hooli/u })],
        ['#/?text=graphs', page.getByRole('region', { name: /^Found in other fields/u }).getByRole('link', { name: /Visa/u })],
        ['#/add', page.getByRole('heading', { name: 'Add an application' })],
        ['#/import', page.getByRole('heading', { name: 'Import applications' })],
        ['#/insight', page.getByText('median of 1').first()],
      ]) {
        await page.evaluate((hash) => (location.hash = hash), path);
        await sign.waitFor();
        await examine(page, place(path));
      }
      await dialogs(page, place, id);
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

const waiting = [{ at: daysAgo(30), status: 'applied', dateApplied: daysAgo(30).toISOString().slice(0, 10) }];

await withRecords(process.argv[2], [record('Hooli', past), record('Hooli Labs', waiting)], async () => {
  const id = await fill();
  await withBoard((open) => everyPage(open, id));
});
