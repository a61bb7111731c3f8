// Whatever is deleted is gone at once, and is deleted when the offer to undo it is gone. Undone, nothing has happened, also if the
// page is closed at once; a page that is reloaded offers it again, and the next page sends what a closed one has left.

import assert from 'node:assert/strict';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { stores } from 'trestle-web-kit/e2e/queue.mjs';
import { create, send, withBoard } from './harness.mjs';

const MINUTES_MS = 300_000;
/** How long an offer stays on the page, and how long here: for ever, or hardly at all. */
const STAY_MS = 10_000;
const EVER_MS = 2 ** 31 - 1;
const BRIEF_MS = 50;

/** What the server holds of an application. */
async function read(id) {
  const query = 'query($id: ID!) { application(id: $id) { interviewStages { id } contacts { contactId } files { fileId } } }';
  return (await send(query, { id })).application;
}

const sheetOf = (page) => page.getByRole('dialog', { name: /, Engineer$/u });
const inSheet = (name) => (page) => sheetOf(page).getByRole('button', { name, exact: true });

/** Each kind of thing: what deletes it, what is said then, what shows it, and whether the server holds it. */
const KINDS = [
  { place: '/applications/', press: inSheet('Delete'), said: /, Engineer deleted/u, shows: (page, company) => page.locator(`article[aria-label^="${company},"]`), holds: (now) => now !== null },
  { place: '/applications/', press: inSheet('Remove Onsite'), said: /Onsite removed/u, shows: inSheet('Reorder Onsite'), holds: (now) => now.interviewStages.length === 1 },
  { place: '/applications/', press: inSheet('Remove Robin'), said: /Robin removed/u, shows: inSheet('Remove Robin'), holds: (now) => now.contacts.length === 1 },
  { place: '/applications/', press: inSheet('Remove cv.txt'), said: /cv\.txt removed/u, shows: inSheet('Remove cv.txt'), hasFile: true, holds: (now) => now.files.length === 1 },
  {
    place: '/table',
    press: (page) => page.getByRole('button', { name: 'Delete' }),
    said: /1 deleted/u,
    shows: (page, company) => page.getByRole('checkbox', { name: `Select ${company}`, exact: true }),
    holds: (now) => now !== null,
  },
];

/** The ends of an offer. Each answers the page that is open then, and says whether the thing is left. */
const ENDS = {
  async undone({ page, offer }) {
    await offer.getByRole('button', { name: 'Undo' }).click();
    return { page, left: true };
  },
  async undoneAndClosed({ page, offer, reopen }) {
    await offer.getByRole('button', { name: 'Undo' }).click();
    return { page: await reopen(page, MINUTES_MS), left: true };
  },
  // Nobody does anything, for ten seconds.
  async leftAlone({ page }) {
    // Under the pointer it would stay.
    await page.mouse.move(1, 1);
    return { page, left: false };
  },
  async dismissed({ page, offer }) {
    await offer.getByRole('button', { name: 'Dismiss' }).click();
    return { page, left: false };
  },
  async reloadedAndUndone({ page, said, reopen }) {
    // However long that takes, it is not too late.
    const next = await reopen(page, -MINUTES_MS);
    await next.locator('.toast').filter({ hasText: said }).getByRole('button', { name: 'Undo' }).click();
    return { page: next, left: true };
  },
  async closed({ page, reopen }) {
    return { page: await reopen(page, MINUTES_MS), left: false };
  },
};

/** Has the clock of the pages to come show so much more, and offers stay so long. */
function timed(context, more, stay) {
  return context.addInitScript(
    ([by, usual, wanted]) => {
      const { now } = Date;
      Date.now = () => now() + by;
      const { setTimeout: later } = window;
      window.setTimeout = (run, after, ...rest) => later(run, after === usual ? wanted : after, ...rest);
    },
    [more, STAY_MS, stay],
  );
}

await withBoard(async (open) => {
  let count = 0;
  for (const { place, press, said, shows, holds, hasFile } of KINDS) {
    for (const [end, run] of Object.entries(ENDS)) {
      count += 1;
      const company = `Company ${count}`;
      const id = await create({ companyName: company, status: 'APPLIED' });
      const input = `applicationId: "${id}", name:`;
      await send(`mutation { addInterviewStage(input: { ${input} "Onsite" }) { userErrors { code } } }`);
      await send(`mutation { addContact(input: { ${input} "Robin" }) { userErrors { code } } }`);
      const hash = place === '/table' ? '#/table' : `#${place}${id}`;
      /** The next page of the same browser, whose clock is that much later. */
      const reopen = async (before, later) => {
        const context = before.context();
        await timed(context, later, EVER_MS);
        const empty = await context.newPage();
        await before.close();
        const next = await open(hash, { beside: empty });
        await next.locator('[data-connection="live"]').waitFor({ state: 'attached' });
        return next;
      };
      const page = await open('about:blank');
      await timed(page.context(), 0, end === 'leftAlone' ? BRIEF_MS : EVER_MS);
      await page.goto(page.board + hash);
      if (place === '/table') await page.getByRole('checkbox', { name: `Select ${company}`, exact: true }).check();
      if (hasFile) {
        const file = { name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear') };
        await sheetOf(page).getByLabel('Add a file', { exact: true }).setInputFiles(file);
        await inSheet('Remove cv.txt')(page).waitFor();
      }
      await shows(page, company).waitFor({ state: 'attached' });
      await press(page).click();
      await shows(page, company).waitFor({ state: 'detached' });
      if (end !== 'leftAlone') assert(holds(await read(id)), `${said}, ${end}: it was deleted at once`);
      const offer = page.locator('.toast').filter({ hasText: said });
      const { page: now, left } = await run({ page, offer, said, reopen });
      if (left) {
        await shows(now, company).waitFor({ state: 'attached' });
        await stores(now, 'trestle-board', 0);
        assert(holds(await read(id)), `${said}, ${end}: it is gone`);
      } else {
        await eventually(() => read(id), (stored) => !holds(stored));
        await stores(now, 'trestle-board', 0);
        await shows(now, company).waitFor({ state: 'detached' });
      }
      await now.context().close();
    }
  }
});
