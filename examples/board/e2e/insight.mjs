// The insight shows what the server counts, of rows and of histories that were imported, and keeps step
// with what others change. Takes the binary, and imports before it serves.

import assert from 'node:assert/strict';
import { create, send, withBoard } from './harness.mjs';
import { record } from './records.mjs';
import { withRecords } from './served.mjs';

const [binary] = process.argv.slice(2);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.now();
const ago = (days) => new Date(NOW - days * DAY_MS);
const date = (days) => ago(days).toISOString().slice(0, 10);

const axon = record('Axon', [
  { at: ago(201), status: 'unsubmitted' },
  { at: ago(101), status: 'applied', dateApplied: date(101) },
  { at: ago(96), status: 'interviewing' },
]);
const visa = record('Visa', [
  { at: ago(60), status: 'applied', dateApplied: date(60) },
  { at: ago(50), status: 'interviewing' },
  { at: ago(49.5), status: 'given offer' },
]);
const borel = record('Borel', [
  { at: ago(59), status: 'applied', dateApplied: date(59) },
  { at: ago(40), status: 'rejected' },
]);

/** One picture. */
function picture(page, name) {
  return page.getByRole('region', { name, exact: true });
}

/** What is read out for each entry of a picture's list, in order. */
async function readOut(picture) {
  return picture.getByRole('listitem').locator('.visually-hidden').allTextContents();
}

/** The entry of a status, once it says so. */
async function stay(page, status, sign) {
  const entries = picture(page, 'Time in each status').getByRole('listitem');
  const entry = entries.filter({ has: page.locator('.name'), hasText: status }).filter({ hasText: sign });
  await entry.waitFor();
  return readOut(entry);
}

async function step(page, name, sign) {
  const entries = picture(page, 'From applied to accepted').getByRole('listitem');
  await entries.filter({ hasText: name }).filter({ hasText: sign }).waitFor();
}

async function pictures(open) {
  await create({ companyName: 'Cobalt', status: 'APPLIED', dateApplied: date(0) });
  for (const companyName of ['Dune', 'Elm']) {
    await create({ companyName, status: 'APPLIED', dateApplied: date(7) });
  }
  const page = await open('#/insight');

  const weeks = picture(page, 'Applications per week');
  await weeks.getByText('6 sent in 26 weeks').waitFor();
  const said = await readOut(weeks);
  assert.equal(said.length, 26);
  // As far back as a person looks.
  for (const range of ['104', '13', '52', '26']) {
    await page.getByLabel('Weeks').selectOption(range);
    await weeks.getByText(`sent in ${range} weeks`).waitFor();
    assert.equal((await readOut(weeks)).length, Number(range));
  }
  assert.equal(said.at(-1), 'This week, so far: 1');
  assert.match(said.at(-2), /^Week of .*: 2$/u);
  const sum = said.reduce((total, text) => total + Number(text.split(': ')[1]), 0);
  assert.equal(sum, 6);

  await step(page, 'Applied', /^Applied6$/u);
  await step(page, 'Interviewed', /^Interviewed233% of applied$/u);
  await step(page, 'Offered', /^Offered150% of interviewed$/u);
  await step(page, 'Accepted', /^Accepted00% of offered$/u);

  assert.deepEqual(await stay(page, 'To apply', 'over 90 days'), [
    'less than 1 day: 0',
    '1 to 3 days: 0',
    '3 to 7 days: 0',
    '7 to 14 days: 0',
    '14 to 30 days: 0',
    '30 to 60 days: 0',
    '60 to 90 days: 0',
    '90 days or more: 1',
  ]);
  const applied = await stay(page, 'Applied', 'median of 3');
  assert.deepEqual(applied.slice(2, 5), ['3 to 7 days: 1', '7 to 14 days: 1', '14 to 30 days: 1']);
  await stay(page, 'Applied', /1\d days/u);
  const interviewing = await stay(page, 'Interviewing', 'median of 1');
  assert.equal(interviewing[0], 'less than 1 day: 1');
  await stay(page, 'Interviewing', '12 h');

  // What another client does shows here too.
  const { updateApplication } = await send(
    `mutation($input: UpdateApplicationInput!) {
      updateApplication(input: $input) { application { status } userErrors { code } }
    }`,
    { input: { id: axon.id, status: 'GIVEN_OFFER' } },
  );
  assert.deepEqual(updateApplication.userErrors, []);
  await step(page, 'Offered', /^Offered2100% of interviewed$/u);
  const later = await stay(page, 'Interviewing', 'median of 2');
  assert.equal(later[7], '90 days or more: 1');
  await create({ companyName: 'Fern', status: 'APPLIED', dateApplied: date(0) });
  await weeks.getByText('This week, so far: 2').waitFor({ state: 'attached' });
  await step(page, 'Applied', /^Applied7$/u);
  // An application that was ever interviewing counts as interviewed. An offer that was taken back within an hour was a mistake.
  await send(`mutation { updateApplication(input: { id: "${axon.id}", status: REJECTED }) { userErrors { code } } }`);
  await page.reload();
  await step(page, 'Interviewed', /^Interviewed229% of applied$/u);
  await step(page, 'Offered', /^Offered150% of interviewed$/u);
}

/** An application's own page says how long it has been where it is. */
async function since(open) {
  const page = await open(`#/applications/${visa.id}`);
  const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
  await sheet.getByText('for 49 days', { exact: true }).waitFor();
}

/** A phone has room for fewer weeks. */
async function narrow(open) {
  const page = await open('#/insight', { viewport: { width: 390, height: 800 } });
  const weeks = picture(page, 'Applications per week');
  await weeks.getByText('sent in 13 weeks').waitFor();
  assert.equal((await readOut(weeks)).length, 13);
}

/** A table that another program writes has no such counts. */
async function notCounted(open) {
  const page = await open('#/');
  await page.route('**/graphql', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    if (answer.data?.applicationInsight) {
      answer.data.applicationStats.byStatus = null;
      answer.data.applicationInsight.weeks = null;
    }
    await route.fulfill({ response, json: answer });
  });
  await page.getByRole('link', { name: 'Insight' }).click();
  await picture(page, 'Applications per week').getByText('Not known').waitFor();
  await picture(page, 'From applied to accepted').getByText('Not known').waitFor();
  await stay(page, 'To apply', 'over 90 days');
  // Nothing is on its way through here when the page is closed.
  await page.unrouteAll({ behavior: 'wait' });
}

await withRecords(binary, [axon, visa, borel], () =>
  withBoard(async (open) => {
    await pictures(open);
    await since(open);
    await narrow(open);
    await notCounted(open);
  }),
);

await withRecords(binary, [], () =>
  withBoard(async (open) => {
    const page = await open('#/insight');
    await picture(page, 'Applications per week').getByText('None sent in 26 weeks').waitFor();
    await picture(page, 'From applied to accepted').getByText('No application was sent yet.').waitFor();
    await picture(page, 'Time in each status').getByText('No application has left a status yet.').waitFor();
  }),
);
