// No two cards of a column ever intersect, and none is out of its place: after a drag, an archived card, a change from
// elsewhere, a filter, and another width of the window.

import assert from 'node:assert/strict';
import { card, column, create, drag, saved, send, withBoard } from './harness.mjs';

const NAMES = Array.from({ length: 14 }, (_, index) => `Company ${String(index).padStart(2, '0')}`);
const ids = new Map();
for (const [index, companyName] of NAMES.entries()) {
  // Cards of many heights.
  const id = await create({
    companyName,
    status: index % 3 === 0 ? 'INTERVIEWING' : 'APPLIED',
    ...(index % 2 === 0 && { positionTitle: 'Engineer of very long names that take more than a line of the card' }),
    ...(index % 4 === 1 && { companyCategory: 'ENTERPRISE_SOFTWARE', skillsMatch: 3, salaryMin: 90_000 }),
  });
  ids.set(companyName, id);
}

async function elsewhere(mutation) {
  await send(`mutation { ${mutation} { userErrors { code } } }`);
}

/** Waits until the cards lie still, and fails if two of a column intersect or a gap is larger than it should be. */
async function measure(page, what) {
  const problems = await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const read = () =>
      [...document.querySelectorAll('.column')].flatMap((section) => {
        const boxes = [...section.querySelectorAll('li')].map((item) => {
          const { top, bottom } = item.getBoundingClientRect();
          return { top, bottom, name: item.querySelector('article')?.getAttribute('aria-label') };
        });
        return [boxes.toSorted((one, other) => one.top - other.top)];
      });
    let before = '';
    for (let still = 0; still < 5; ) {
      await frame();
      const now = JSON.stringify(read());
      still = now === before ? still + 1 : 0;
      before = now;
    }
    return read().flatMap((boxes) =>
      boxes.slice(1).flatMap((box, at) => {
        const gap = box.top - boxes[at].bottom;
        return Math.abs(gap) > 1 ? [`${boxes[at].name} and ${box.name}: ${gap}`] : [];
      }),
    );
  });
  assert.deepEqual(problems, [], what);
}

await withBoard(async (open) => {
  const page = await open();
  await card(page, NAMES.at(-1)).waitFor();
  await card(column(page, 'Applied'), NAMES[1]).waitFor();
  await measure(page, 'at first');

  await saved(page, 'MoveApplication', () =>
    drag(page, card(page, NAMES[7]), column(page, 'Interviewing')),
  );
  await card(column(page, 'Interviewing'), NAMES[7]).waitFor();
  await measure(page, 'after a drag');

  await card(page, NAMES[4]).getByRole('button', { name: /^Actions/u }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await card(page, NAMES[4]).waitFor({ state: 'detached' });
  await measure(page, 'after a card was archived');
  await page.getByRole('button', { name: 'Undo' }).click();
  await card(page, NAMES[4]).waitFor();
  await measure(page, 'after that was undone');

  // Elsewhere one grows, one moves, and one is deleted.
  await elsewhere(`addInterviewStage(input: { applicationId: "${ids.get(NAMES[5])}", name: "Onsite" })`);
  await card(page, NAMES[5]).getByText('Next: Onsite').waitFor();
  await measure(page, 'after a card grew');
  await elsewhere(`updateApplication(input: { id: "${ids.get(NAMES[2])}", status: INTERVIEWING })`);
  await card(column(page, 'Interviewing'), NAMES[2]).waitFor();
  await elsewhere(`deleteApplication(input: { id: "${ids.get(NAMES[8])}" })`);
  await card(page, NAMES[8]).waitFor({ state: 'detached' });
  await measure(page, 'after changes from elsewhere');

  await page.getByRole('searchbox').fill('Company 1');
  await card(page, NAMES[3]).waitFor({ state: 'detached' });
  await measure(page, 'with a filter');
  await page.getByRole('searchbox').fill('');
  await card(page, NAMES[3]).waitFor();
  await measure(page, 'without the filter');

  for (const width of [1440, 1000, 320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await measure(page, `at a width of ${width}`);
  }
});
