// A column begins with what is due, the first due first, wherever that is in its list; what is not follows by its last change. Each
// card is there once, also when a due date changes or a card leaves.

import assert from 'node:assert/strict';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { card, column, counts, create, openMenu, send, withBoard } from './harness.mjs';

const dayIn = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** More than two pages; those that are due are among the first that were made, so that they are on the last page. */
const COUNT = 70;
const made = [];
for (let at = 0; at < COUNT; at += 1) {
  // What is due late in the year is not due now.
  const days = { 2: 3, 5: -4, 11: 0, 17: -6, 23: 200, 29: 5 }[at];
  const input = { companyName: `Company ${String(at).padStart(2, '0')}`, status: 'APPLIED', ...(days !== undefined && { nextAction: 'Call', nextActionDate: dayIn(days) }) };
  made.push({ ...input, days: days < 100 ? days : undefined, id: await create(input) });
}

/** The names in the order in which the column has them. */
function expected() {
  const due = made.filter(({ days }) => days !== undefined);
  const rest = made.filter(({ days }) => days === undefined).toReversed();
  return [...due.toSorted((one, other) => one.days - other.days), ...rest].map(({ companyName }) => companyName);
}

/** All names in the column, read while it is scrolled to its end. */
function shown(page) {
  return page.locator('#column-APPLIED .cards').evaluate(async (scroller) => {
    const names = new Map();
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    scroller.scrollTo(0, 0);
    for (let still = 0; still < 20; still += 1) {
      await frame();
      const before = names.size;
      for (const item of scroller.querySelectorAll('li')) {
        const name = item.querySelector('h3')?.textContent;
        if (name) names.set(Number(item.dataset.index), name);
      }
      if (names.size > before) still = 0;
      scroller.scrollBy(0, 300);
    }
    return [...names].sort(([one], [other]) => one - other).map(([, name]) => name);
  });
}

const hasAll = (page) => eventually(() => shown(page), (names) => JSON.stringify(names) === JSON.stringify(expected()));

await withBoard(async (open) => {
  // In the zone in which the dates are made.
  const page = await open('#/', { timezoneId: 'UTC' });
  await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
  await counts(page, 'Applied', String(COUNT));
  await hasAll(page);

  // A card that becomes due comes first, and one that is not due any more goes back among the others.
  const [first] = expected();
  const late = made[40];
  for (const [one, days] of [[late, -9], [made.find(({ companyName }) => companyName === first), undefined]]) {
    const nextActionDate = days === undefined ? null : dayIn(days);
    await send('mutation($input: UpdateApplicationInput!) { updateApplication(input: $input) { userErrors { code } } }', { input: { id: one.id, nextActionDate } });
    made.splice(made.indexOf(one), 1);
    made.push({ ...one, days });
    await hasAll(page);
  }

  // One that is moved to another column is first there.
  await page.locator('#column-APPLIED .cards').evaluate((scroller) => scroller.scrollTo(0, 0));
  await openMenu(page, page.getByRole('button', { name: `Actions for ${late.companyName}` }));
  await page.getByRole('menuitem', { name: 'Interviewing' }).press('Enter');
  await card(column(page, 'Interviewing'), late.companyName).waitFor();
  await create({ companyName: 'Newer', status: 'INTERVIEWING' });
  await card(column(page, 'Interviewing'), 'Newer').waitFor();
  await page.locator('#column-INTERVIEWING li').nth(0).filter({ hasText: late.companyName }).waitFor();
  made.splice(made.findIndex(({ id }) => id === late.id), 1);
  await hasAll(page);
  await counts(page, 'Applied', String(COUNT - 1));
  // Whoever searches has the list as the server answers it.
  await page.getByRole('searchbox').fill('Company 02');
  await card(column(page, 'Applied'), 'Company 02').waitFor();
  assert.equal(await column(page, 'Applied').getByRole('article').count(), 1);
});
