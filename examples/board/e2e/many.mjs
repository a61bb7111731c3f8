// More applications than are loaded can be selected, changed and changed back, and how far that is can be seen.

import assert from 'node:assert/strict';
import { asksBeforeLeaving, eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { send, withBoard } from './harness.mjs';

const ROWS = 350;
for (let from = 0; from < ROWS; from += 50) {
  const applications = Array.from({ length: 50 }, (_, at) => ({
    companyName: `Company ${from + at}`,
    positionTitle: 'Engineer',
    status: from + at < 100 ? 'REJECTED' : 'APPLIED',
    dateApplied: '2026-10-01',
  }));
  await send('mutation($input: CreateApplicationsInput!) { createApplications(input: $input) { userErrors { message } } }', {
    input: { applications },
  });
}

async function totals() {
  const { applicationStats } = await send('{ applicationStats { byStatus { status active } } }');
  return Object.fromEntries(applicationStats.byStatus.map(({ status, active }) => [status, active]));
}

await withBoard(async (open) => {
  const page = await open('#/table', { viewport: { width: 1440, height: 900 } });
  await page.getByText(`${ROWS} applications`).waitFor();
  const everything = page.getByRole('checkbox', { name: 'Select all that are loaded' });
  await everything.check();
  await page.getByText('100 selected').waitFor();
  await page.getByText(`These are the 100 that are loaded, of ${ROWS}.`).waitFor();
  await page.getByRole('button', { name: `Select all ${ROWS}` }).click();
  await page.getByText(`${ROWS} selected`).waitFor();

  // Each batch waits until it is let through, so that the way can be seen.
  let pass = () => {};
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('"operationName":"UpdateMany"')) {
      await new Promise((resolve) => (pass = resolve));
    }
    await route.continue();
  });
  const next = async (done) => {
    const isDone = () => page.getByText(`${done} of ${ROWS} done`).count();
    await eventually(async () => {
      pass();
      return isDone();
    }, Boolean);
  };
  await page.getByRole('combobox', { name: 'Change status' }).selectOption('Interviewing');
  await page.getByText(`0 of ${ROWS} done`).waitFor();
  assert(await asksBeforeLeaving(page), 'the page can be left during a change of many');
  await next(100);
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  pass();
  await page.unroute('**/graphql');
  pass();
  await page.getByText(`${ROWS} moved to Interviewing`).waitFor();
  assert.equal((await totals()).INTERVIEWING, ROWS);
  assert(!(await asksBeforeLeaving(page)), 'the page asks although nothing would be lost');
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(totals, ({ APPLIED: applied, REJECTED: rejected }) => applied === ROWS - 100 && rejected === 100);

  // Another filter selects nothing that it does not list.
  await everything.check();
  await page.getByRole('button', { name: `Select all ${ROWS}` }).click();
  await page.getByText(`${ROWS} selected`).waitFor();
  await page.getByRole('searchbox').fill('Company 349');
  await page.getByText('1 applications').waitFor();
  assert.equal(await page.getByText(/selected$/u).count(), 0);
});
