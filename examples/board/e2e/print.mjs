// On paper: the list whole, also what is not loaded, and one application whole.

import assert from 'node:assert/strict';
import { card, create, send, withBoard } from './harness.mjs';

const ROWS = 130;
const all = Array.from({ length: ROWS }, (_, at) => ({ companyName: `Company ${at}`, positionTitle: 'Engineer', status: 'APPLIED' }));
for (const applications of [all.slice(0, 100), all.slice(100)]) {
  await send('mutation($input: CreateApplicationsInput!) { createApplications(input: $input) { userErrors { message } } }', {
    input: { applications },
  });
}
const notes = Array.from({ length: 120 }, (_, at) => `Line ${at} of the notes.`).join('\n');
const visa = await create({ companyName: 'Visa', status: 'INTERVIEWING', notes });
await create({
  companyName: 'Telecommunications International',
  positionTitle: 'Infrastructure Administrator',
  status: 'GIVEN_OFFER',
  dateApplied: '2026-10-01',
  offerDueDate: '2026-12-24',
  nextAction: 'Telephone conversation',
  nextActionDate: '2026-12-01',
  companyCategory: 'CYBERSECURITY',
  location: 'Wolverhampton',
  isRemote: true,
  salaryMin: 100_000,
  salaryMax: 120_000,
  salaryCurrency: 'GBP',
  tags: ['infrastructure', 'recommendation'],
});

/** The pages of a PDF. */
function pagesOf(pdf) {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/gu)?.length ?? 0;
}

/** The words of these elements that go on in another line. */
function brokenWords(page, selector) {
  return page.locator(selector).evaluateAll((elements) =>
    elements.flatMap((element) => {
      const text = element.firstChild;
      const words = [...(text?.data ?? '').matchAll(/[\p{L}\d]+/gu)];
      return words.flatMap(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? [word] : [];
      });
    }),
  );
}

/** Which of these texts are shown. */
function shown(page, selector) {
  return page.locator(selector).evaluateAll((elements) =>
    elements.filter((element) => element.checkVisibility()).map((element) => element.textContent),
  );
}

await withBoard(async (open) => {
  const page = await open('about:blank', { viewport: { width: 1280, height: 800 } });
  await page.addInitScript(() => {
    globalThis.printed = 0;
    globalThis.print = () => {
      globalThis.printed += 1;
    };
  });
  for (const [path, sign, press] of [
    ['#/', card(page, 'Visa'), () => page.keyboard.press('Control+p')],
    ['#/table', page.getByText('132 applications'), () => page.getByRole('button', { name: 'Print' }).click()],
  ]) {
    await page.goto(page.board + path);
    await page.reload();
    await sign.waitFor();
    await press();
    await page.waitForFunction(() => globalThis.printed === 1);
    await page.emulateMedia({ media: 'print' });
    const rows = await shown(page, '.printed tbody tr td:first-child');
    assert.equal(new Set(rows).size, ROWS + 2, path);
    assert.deepEqual(await shown(page, '.top, main'), [], path);
    // As wide as a sheet that lies.
    await page.setViewportSize({ width: 1040, height: 700 });
    assert.deepEqual(await brokenWords(page, '.printed th, .printed td'), [], path);
    assert(await page.locator('.printed table').evaluate((table) => table.scrollWidth <= innerWidth), path);
    await page.setViewportSize({ width: 1280, height: 800 });
    assert(pagesOf(await page.pdf({ preferCSSPageSize: true })) > 2, path);
    await page.emulateMedia({ media: 'screen' });
    await page.locator('.printed').waitFor({ state: 'detached' });
  }

  // The browser's own way to print: no two cards lie on each other.
  await page.goto(`${page.board}#/`);
  await card(page, 'Visa').waitFor();
  await page.emulateMedia({ media: 'print' });
  const boxes = await page.locator('.card').evaluateAll((cards) =>
    cards.map((each) => each.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom })),
  );
  // Dots and bars are printed, which are backgrounds.
  const dot = page.locator('.column .dot').first();
  assert.equal(await dot.evaluate((element) => getComputedStyle(element).printColorAdjust), 'exact');
  for (const [at, one] of boxes.entries()) {
    for (const other of boxes.slice(at + 1)) {
      const apart = one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top;
      assert(apart, JSON.stringify([one, other]));
    }
  }
  await page.emulateMedia({ media: 'screen' });

  // One application: all of its notes, and nothing of the board.
  await page.evaluate((hash) => (location.hash = hash), `#/applications/${visa}`);
  const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
  await sheet.getByText('Application created').waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.deepEqual(await shown(page, '.card'), []);
  assert(pagesOf(await page.pdf()) > 1);
  const height = await sheet.evaluate((element) => [element.scrollHeight, element.clientHeight]);
  assert(height[0] <= height[1] + 1, `the sheet hides a part: ${height}`);
});
