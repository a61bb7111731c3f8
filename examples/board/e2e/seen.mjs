// Whoever begins to change something changes what they saw then: what somebody else makes of it meanwhile, and what the page shows
// of that already, is not overwritten unasked.

import assert from 'node:assert/strict';
import { canDrag, card, column, create, lift, send, stored, withBoard } from './harness.mjs';

let made = 0;

/** What somebody else does: the values, and how the server names them. */
async function elsewhere(id, input) {
  await send(
    'mutation($input: UpdateApplicationInput!) { updateApplication(input: $input) { userErrors { code } } }',
    { input: { id, ...input } },
  );
}

const centre = ({ x, y, width, height }) => [x + width / 2, y + Math.min(height / 2, 200)];

/** Gestures by which a card is moved: each begins one, and answers what ends it in Rejected. */
const MOVES = {
  async mouse(page, company) {
    const from = await card(page, company).boundingBox();
    await page.mouse.move(from.x + 40, from.y + from.height - 8);
    await page.mouse.down();
    await page.mouse.move(from.x + 60, from.y + from.height, { steps: 4 });
    await page.locator('.overlay-card').waitFor();
    return async () => {
      await page.mouse.move(...centre(await column(page, 'Rejected').boundingBox()), { steps: 6 });
      await column(page, 'Rejected').and(page.locator('.over')).waitFor();
      await page.mouse.up();
    };
  },
  async keys(page, company) {
    await lift(page, card(page, company).getByRole('button', { name: `Drag ${company}` }), `${company}, Engineer is over Applied`);
    return async () => {
      for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowRight');
      await page.getByText(`${company}, Engineer is over Rejected`).waitFor({ state: 'attached' });
      await page.keyboard.press('Space');
    };
  },
};

/** Fields of the sheet: what is typed, and what somebody else sets meanwhile that the change would overwrite. */
const FIELDS = [
  { label: 'Position', typed: 'Mine', theirs: { positionTitle: 'Theirs' } },
  { label: 'Next step', typed: 'Mine', theirs: { nextAction: 'Theirs' } },
  // Beside the field itself.
  { label: 'Salary from', typed: '90k USD', theirs: { salaryCurrency: 'EUR' } },
  { label: 'Salary to', typed: '45 EUR/hour', theirs: { salaryPeriod: 'YEAR' } },
];

await withBoard(async (open) => {
  const page = await open();
  await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
  await canDrag(page);
  const conflict = page.getByRole('alertdialog', { name: 'Changed somewhere else' });
  const begun = async () => {
    made += 1;
    const company = `Card${made}`;
    const id = await create({ companyName: company, status: 'APPLIED' });
    await card(column(page, 'Applied'), company).waitFor();
    return { company, id };
  };
  for (const [name, begin] of Object.entries(MOVES)) {
    const { company, id } = await begun();
    const end = await begin(page, company);
    await elsewhere(id, { status: 'INTERVIEWING' });
    await column(page, 'Interviewing').locator(`[data-card="${id}"]`).waitFor();
    await end();
    await conflict.getByRole('row', { name: 'Status Rejected Interviewing' }).waitFor();
    assert.equal((await stored(id)).status, 'INTERVIEWING', name);
    await conflict.getByRole('button', { name: 'Keep theirs' }).click();
    await card(column(page, 'Interviewing'), company).waitFor();
  }
  for (const { label, typed, theirs } of FIELDS) {
    const { id } = await begun();
    await page.evaluate((hash) => (location.hash = hash), `#/applications/${id}`);
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('button', { name: new RegExp(`^${label}: `, 'u') }).click();
    const field = sheet.getByRole('textbox', { name: label, exact: true });
    await field.fill(typed);
    await elsewhere(id, theirs);
    await sheet.locator('.timeline li').nth(1).waitFor();
    await page.keyboard.press('Enter');
    // The field says it itself, or it is asked.
    await conflict.or(sheet.getByRole('alert')).waitFor();
    const now = await stored(id);
    for (const [name, value] of Object.entries(theirs)) assert.equal(now[name] ?? value, value, `${label}: ${name}`);
    if (await conflict.isVisible()) await conflict.getByRole('button', { name: 'Keep theirs' }).click();
    else await page.keyboard.press('Escape');
    await conflict.waitFor({ state: 'detached' });
    await page.evaluate(() => (location.hash = '#/'));
    await sheet.waitFor({ state: 'detached' });
  }

  // Who deletes it deletes what they saw, also if somebody else changes it before it is sent.
  const { id } = await begun();
  await page.evaluate((hash) => (location.hash = hash), `#/applications/${id}`);
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('button', { name: 'Delete', exact: true }).click();
  await elsewhere(id, { notes: 'An offer!' });
  await page.locator('.toast').filter({ hasText: 'deleted' }).getByRole('button', { name: 'Dismiss' }).click();
  await conflict.waitFor();
  assert.equal((await stored(id)).notes, 'An offer!');
  await conflict.getByRole('button', { name: 'Keep theirs' }).click();
  await conflict.waitFor({ state: 'detached' });

  // What the person changed themselves since is no change of somebody else.
  await page.evaluate(() => (location.hash = '#/'));
  const own = await begun();
  await page.evaluate((hash) => (location.hash = hash), `#/applications/${own.id}`);
  await page.getByRole('dialog').getByRole('button', { name: /^Status: /u }).click();
  const choice = page.getByRole('dialog').getByRole('combobox', { name: 'Status' });
  await choice.selectOption('REJECTED');
  await page.getByRole('button', { name: 'Status: Rejected' }).waitFor();
  await page.keyboard.press('Escape');
  await card(column(page, 'Rejected'), own.company).waitFor();
  assert.equal(await conflict.count(), 0);
});
