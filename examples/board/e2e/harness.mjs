// What every script here shares: what the board shows, and applications as other programs make them.

import assert from 'node:assert/strict';
import { endpoint, send, withPage } from 'trestle-web-kit/e2e/browser.mjs';
import { eventually, withoutWorker } from 'trestle-web-kit/e2e/waiting.mjs';

export { connect, endpoint, launch, send } from 'trestle-web-kit/e2e/browser.mjs';

/** Makes one application as another program would, and answers its id. */
export async function create(input, key) {
  const { createApplication } = await send(
    `mutation Create($input: CreateApplicationInput!) {
      createApplication(input: $input) { application { id } userErrors { message } }
    }`,
    { input: { positionTitle: 'Engineer', ...input } },
    key,
  );
  assert.deepEqual(createApplication.userErrors, []);
  return createApplication.application.id;
}

/** What the server holds of an application. */
export async function stored(id) {
  const { application } = await send(
    `query One($id: ID!) {
      application(id: $id) {
        version status companyName positionTitle notes salaryMin salaryMax salaryCurrency salaryPeriod isArchived
        tags location isRemote postingText jobSource
        interviewStages { name order isCompleted notes }
      }
    }`,
    { id },
  );
  return application;
}

/** Where the server shows the board. */
export function board() {
  return new URL('/board/', endpoint()).href;
}

/**
 * Calls `use` with a function that opens one more browser on the board, where amounts without a currency are in the `currency` that
 * it is given. Unless it `stores` the page, each file is asked for: what a script does to requests is done to all of them.
 */
export function withBoard(use, options) {
  const prepare = (currency, stores) => async (context) => {
    if (currency) await context.addInitScript((code) => localStorage.setItem('trestle-board-currency', code), currency);
    if (!stores) await withoutWorker(context);
  };
  return withPage(
    '/board/',
    (open) =>
      use(async (place, { currency, stores = false, ...more } = {}) => {
        const page = await open(place, { ...more, prepare: prepare(currency, stores) });
        page.board = board();
        return page;
      }),
    options,
  );
}

/** Waits until the server holds an application as it fits, and answers it. What the page shows may still be on its way. */
export function storedAs(id, fits) {
  return eventually(() => stored(id), fits);
}

/** Waits until the server holds these values of an application. */
export async function arrived(id, values) {
  await storedAs(id, (now) => Object.entries(values).every(([field, value]) => now?.[field] === value));
}

/** The column with this title. */
export function column(page, title) {
  return page.getByRole('region', { name: title, exact: true });
}

/** The card of a company, within a column or on the page. */
export function card(within, company) {
  return within.getByRole('article', { name: new RegExp(`^${company}, `, 'u') });
}

/** Waits until the whole width and the top of a thing are in the window: a page that scrolls to it may have more to await. */
export function inSight(thing) {
  const { width, height } = thing.page().viewportSize();
  return eventually(
    () => thing.boundingBox(),
    (box) => box !== null && box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y < height,
  );
}

/** Does something in the page and waits for the answer to the mutation that it sends. */
export async function saved(page, mutation, action) {
  const sent = (response) => response.request().postData()?.includes(`"operationName":"${mutation}"`);
  await Promise.all([page.waitForResponse(sent), action()]);
}

/** The number beside a column's title, once it is this one. */
export async function counts(page, title, number) {
  const total = column(page, title).locator('.total');
  await total.filter({ hasText: new RegExp(`^${number}$`, 'u') }).waitFor();
}

/** Opens a menu by keyboard. It shows a moment before it takes the focus, and closes when the focus goes elsewhere. */
export async function openMenu(page, button) {
  await button.press('Enter');
  await page.locator('[role="menu"]:focus-within').first().waitFor();
}

/** Closes a menu and the menus beside it by keyboard; their button takes the focus a moment later. */
export async function closeMenu(page, button) {
  await page.keyboard.press('Escape');
  await page.getByRole('menu').first().waitFor({ state: 'detached' });
  await button.and(page.locator(':focus')).waitFor();
}

/** Lifts by keyboard what `grip` moves; `sign` is what is announced then. */
export async function lift(page, grip, sign) {
  await grip.focus();
  await page.keyboard.press('Space');
  await page.getByText(sign).waitFor({ state: 'attached' });
  // dnd-kit listens for further keys from a timer on that it set before it announced this.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
}

/** Waits for what moves cards, which comes after the first page: by the region in which it speaks. The stages of the sheet have another. */
export async function canDrag(page) {
  await page.locator('.board-page [id^="DndLiveRegion"]').first().waitFor({ state: 'attached' });
}

/** Drags a card by mouse onto a column. */
export async function drag(page, from, to) {
  await canDrag(page);
  const start = await from.boundingBox();
  const end = await to.boundingBox();
  assert(start && end, 'nothing to drag, or nowhere to');
  await page.mouse.move(start.x + 40, start.y + start.height - 8);
  await page.mouse.down();
  await page.mouse.move(start.x + 60, start.y + start.height, { steps: 4 });
  await page.mouse.move(end.x + end.width / 2, end.y + 160, { steps: 12 });
  await page.mouse.up();
}
