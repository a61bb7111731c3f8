// A change that the server has stored and whose answer got lost is nobody else's: the next change of the same field goes on top of
// it, in the order in which they were made, and nobody is asked.

import assert from 'node:assert/strict';
import { sends } from 'trestle-web-kit/e2e/waiting.mjs';
import { arrived, card, column, create, openMenu, withBoard } from './harness.mjs';

const MUTATIONS = ['MoveApplication', 'ArchiveApplication', 'UnarchiveApplication', 'EditApplication'];

/** Loses the answer of the next change, and lets none arrive until `open` is called. */
async function loseAnswer(page) {
  let resolve = () => {};
  const lost = new Promise((then) => (resolve = then));
  let done = false;
  const handle = async (route) => {
    if (!MUTATIONS.some((name) => sends(route.request(), name))) return route.fallback();
    if (done) return route.fulfill({ status: 502, contentType: 'text/html', body: 'Bad Gateway' });
    done = true;
    await route.fetch();
    await route.abort();
    resolve();
  };
  await page.route('**/graphql', handle);
  return { lost, open: () => page.unroute('**/graphql', handle) };
}

async function move(page, company, to) {
  await openMenu(page, card(page, company).getByRole('button', { name: `Actions for ${company}` }));
  await page.getByRole('menuitem', { name: to, exact: true }).press('Enter');
  await card(column(page, to), company).waitFor();
}

async function note(page, text) {
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('button', { name: /^Notes: / }).click();
  await sheet.getByRole('textbox', { name: 'Notes' }).fill(text);
  await sheet.getByRole('textbox', { name: 'Notes' }).press('Control+Enter');
  await sheet.getByRole('button', { name: `Notes: ${text}` }).waitFor();
}

/** Two changes of one field, and what is stored after both. */
const PAIRS = {
  async moves(page, company) {
    await move(page, company, 'Interviewing');
    return {
      second: () => move(page, company, 'Offer'),
      then: { status: 'GIVEN_OFFER', version: 3 },
    };
  },
  async back(page, company) {
    await move(page, company, 'Interviewing');
    return {
      second: () => move(page, company, 'Applied'),
      then: { status: 'APPLIED', version: 3 },
    };
  },
  async notes(page, company) {
    await card(page, company).getByRole('link').click();
    await note(page, 'the first');
    return {
      second: () => note(page, 'the second'),
      then: { notes: 'the second', version: 3 },
    };
  },
};

await withBoard(
  async (open) => {
    for (const live of [true, false]) {
      for (const [name, first] of Object.entries(PAIRS)) {
        const company = `Company ${name} ${live}`;
        const id = await create({ companyName: company, status: 'APPLIED' });
        // Without its events, the page learns of the version by nothing but an answer.
        const page = await open('#/', { sockets: live ? undefined : () => {} });
        await card(column(page, 'Applied'), company).waitFor();
        const { lost, open: openAgain } = await loseAnswer(page);
        const { second, then } = await first(page, company);
        await lost;
        await arrived(id, { version: 2 });
        await second();
        await openAgain();
        await arrived(id, then);
        assert.equal(await page.getByRole('alertdialog').count(), 0, company);
        await page.getByText(/changes? waits?\./u).waitFor({ state: 'detached' });
        assert.equal(await page.getByRole('alertdialog').count(), 0, company);
        await page.context().close();
      }
    }
  },
  { expected: /ERR_FAILED|502/u },
);
