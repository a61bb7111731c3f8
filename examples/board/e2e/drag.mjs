// Moving cards by mouse, by keyboard and by menu; archive with undo; search.

import assert from 'node:assert/strict';
import { canDrag, card, column, create, drag, lift, saved, stored, withBoard } from './harness.mjs';

const visa = await create({ companyName: 'Visa', status: 'APPLIED' });
const axon = await create({ companyName: 'Axon', status: 'APPLIED' });

/** What moves cards is loaded after the first page: a press before that counts when it is there. */
async function presses(open) {
  const slow = async () => {
    const page = await open('about:blank');
    let pass = () => {};
    const passed = new Promise((resolve) => (pass = resolve));
    await page.route('**/assets/Dragging-*.js', async (route) => {
      await passed;
      await route.continue();
    });
    await page.goto(page.board);
    await card(page, 'Visa').waitFor();
    return { page, pass };
  };
  const byKey = await slow();
  await card(byKey.page, 'Visa').getByRole('button', { name: 'Drag Visa' }).focus();
  await byKey.page.keyboard.press('Space');
  byKey.pass();
  await byKey.page.getByText('Visa, Engineer is over Interviewing').waitFor({ state: 'attached' });
  await byKey.page.keyboard.press('Escape');
  await byKey.page.getByText('Put Visa, Engineer back.').waitFor({ state: 'attached' });

  const byMouse = await slow();
  const { x, y } = await card(byMouse.page, 'Visa').boundingBox();
  await byMouse.page.mouse.move(x + 40, y + 8);
  await byMouse.page.mouse.down();
  byMouse.pass();
  await canDrag(byMouse.page);
  await byMouse.page.mouse.move(x + 60, y + 20, { steps: 4 });
  await byMouse.page.locator('.overlay-card').waitFor();
  await byMouse.page.mouse.up();

  // A press that is over before that lifts nothing.
  const over = await slow();
  await over.page.mouse.move(x + 40, y + 8);
  await over.page.mouse.down();
  await over.page.mouse.up();
  over.pass();
  await canDrag(over.page);
  await over.page.mouse.move(x + 60, y + 20, { steps: 4 });
  assert.equal(await over.page.locator('.overlay-card, .card.lifted').count(), 0);

  // What cannot be loaded is said, and loaded when it is asked for again.
  const lost = await open('about:blank');
  await lost.route('**/assets/Dragging-*.js', (route) => route.abort());
  await lost.goto(lost.board);
  await card(lost, 'Visa').getByRole('button', { name: 'Drag Visa' }).press('Space');
  await lost.getByText('Cards cannot be moved').waitFor();
  await lost.unroute('**/assets/Dragging-*.js');
  await lost.getByRole('button', { name: 'Try again' }).click();
  await canDrag(lost);
}

/** Everywhere over the columns, also between them, the nearest one is marked, and it takes the card that is dropped there. */
async function everywhere(page, company) {
  const boxes = await page.locator('[id^="column-"]').evaluateAll((columns) =>
    columns.map((column) => ({ name: column.id, ...column.getBoundingClientRect().toJSON() })),
  );
  const away = (x, { left, right }) => Math.max(left - x, 0, x - right);
  const from = await card(page, company).boundingBox();
  await page.mouse.move(from.x + 40, from.y + from.height - 8);
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y + from.height, { steps: 4 });
  await page.locator('.overlay-card').waitFor();
  const { left } = boxes[0];
  const { right } = boxes.at(-1);
  for (let x = left + 1; x < right; x += 3) {
    await page.mouse.move(x, 600);
    const least = Math.min(...boxes.map((box) => away(x, box)));
    const nearest = boxes.filter((box) => away(x, box) === least).map(({ name }) => `#${name}.over`);
    await page.locator(nearest.join(', ')).waitFor();
    assert.equal(await page.locator('.over').count(), 1);
  }
  // The gap before the last column but one.
  const [before, after] = boxes.slice(-3, -1);
  await page.mouse.move(before.right + (after.left - before.right) * 0.7, 600);
  await page.locator(`#${after.name}.over`).waitFor();
  await saved(page, 'MoveApplication', () => page.mouse.up());
  await card(page.locator(`#${after.name}`), company).waitFor();
}

/** Waits until what scrolls by itself stands still: a person aims at what does not move. */
function stands(scroller) {
  return scroller.evaluate(async (element) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    let at = NaN;
    for (let still = 0; still < 5; still = at === element.scrollLeft ? still + 1 : 0) {
      at = element.scrollLeft;
      await frame();
    }
  });
}

await withBoard(async (open) => {
  const page = await open();
  await card(column(page, 'Applied'), 'Visa').waitFor();
  await saved(page, 'MoveApplication', () =>
    drag(page, card(page, 'Visa'), column(page, 'Interviewing')),
  );
  await card(column(page, 'Interviewing'), 'Visa').waitFor();
  assert.equal((await stored(visa)).status, 'INTERVIEWING');
  // The totals are read again a moment after the move.
  for (const name of ['Interviewing', 'Applied']) {
    await column(page, name).locator('.total', { hasText: /^\s*1\s*$/ }).waitFor();
  }

  const grip = card(page, 'Axon').getByRole('button', { name: 'Drag Axon' });
  await lift(page, grip, 'Axon, Engineer is over Applied');
  await page.keyboard.press('ArrowRight');
  await page.getByText('is over Interviewing').waitFor({ state: 'attached' });
  await saved(page, 'MoveApplication', () => page.keyboard.press('Space'));
  await card(column(page, 'Interviewing'), 'Axon').waitFor();
  assert.equal((await stored(axon)).status, 'INTERVIEWING');

  await card(page, 'Axon').getByRole('button', { name: 'Actions for Axon' }).press('Enter');
  const offer = page.getByRole('menuitem', { name: 'Offer', exact: true });
  await saved(page, 'MoveApplication', () => offer.press('Enter'));
  await card(column(page, 'Offer'), 'Axon').waitFor();
  assert.equal((await stored(axon)).status, 'GIVEN_OFFER');

  await card(page, 'Visa').getByRole('button', { name: 'Actions for Visa' }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await card(page, 'Visa').waitFor({ state: 'detached' });
  await page.getByText('1 active, 1 archived').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await card(column(page, 'Interviewing'), 'Visa').waitFor();
  await page.getByText('2 active').waitFor();

  await page.getByRole('searchbox').fill('axo');
  await card(page, 'Visa').waitFor({ state: 'detached' });
  await card(page, 'Axon').waitFor();

  await presses(open);

  const narrower = await open('#/', { viewport: { width: 2000, height: 900 } });
  await create({ companyName: 'Initech', status: 'APPLIED' });
  await card(narrower, 'Initech').waitFor();
  await canDrag(narrower);
  await everywhere(narrower, 'Initech');

  // A finger that holds a card at the edge of a phone comes by the columns one after the other.
  const phone = await open('#/', { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  const hooli = await create({ companyName: 'Hooli', status: 'UNSUBMITTED' });
  await card(phone, 'Hooli').waitFor();
  await canDrag(phone);
  const { x, y, height } = await card(phone, 'Hooli').boundingBox();
  const fingers = await phone.context().newCDPSession(phone);
  const touch = (type, ...touchPoints) => fingers.send('Input.dispatchTouchEvent', { type, touchPoints });
  const seen = phone.locator('.column.over');
  await touch('touchStart', { x: x + 60, y: y + height - 8 });
  await seen.waitFor();
  await touch('touchMove', { x: 380, y: 400 });
  for (const name of ['Applied', 'Interviewing', 'Offer']) {
    await phone.locator('.column.over').and(column(phone, name)).waitFor();
  }
  await touch('touchMove', { x: 200, y: 400 });
  await stands(phone.locator('.columns'));
  const marked = await seen.getAttribute('aria-label');
  await saved(phone, 'MoveApplication', () => touch('touchEnd'));
  await card(column(phone, marked), 'Hooli').waitFor();
  assert.notEqual((await stored(hooli)).status, 'UNSUBMITTED');
}, { expected: /ERR_FAILED/u });
