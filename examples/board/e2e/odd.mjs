// Values as another program stores them, which the API cannot answer: the board shows everything else, and a valid value
// repairs them. Takes the binary.

import assert from 'node:assert/strict';
import { card, column, counts, endpoint, send, withBoard } from './harness.mjs';
import { record } from './records.mjs';
import { withRecords } from './served.mjs';

const at = new Date(Date.now() - 86_400_000);
const odd = { dateApplied: '1/15/2026', jobPostingUrl: 'acme.example', skillsMatch: 3.5 };
const records = [
  record('Acme', [{ at, status: 'applied', ...odd }]),
  record('Borel', [{ at, status: 'applied', dateApplied: '2026-01-15' }]),
];

await withRecords(process.argv[2], records, () =>
  withBoard(async (open) => {
    const query = '{ applications(first: 10) { edges { node { dateApplied jobPostingUrl skillsMatch } } } }';
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(endpoint(), { method: 'POST', headers, body: JSON.stringify({ query }) });
    const { errors } = await answer.json();
    assert.deepEqual(errors.map(({ extensions }) => extensions.code), Array(3).fill('UNREADABLE'));

    const page = await open();
    const applied = column(page, 'Applied');
    await counts(page, 'Applied', 2);
    await card(applied, 'Borel').waitFor();
    await card(applied, 'Acme').getByRole('link').first().click();
    const sheet = page.getByRole('dialog', { name: 'Acme, Engineer' });
    await sheet.locator('.timeline').getByText('Application created').waitFor();

    // A change of another field is made, and is answered although the odd ones still cannot be.
    await sheet.getByRole('button', { name: /^Notes: /u }).click();
    await sheet.getByRole('textbox', { name: 'Notes' }).fill('Ask Kim');
    await page.keyboard.press('Control+Enter');
    await sheet.locator('.timeline').getByText('Ask Kim').waitFor();
    assert.equal(await page.locator('.toast.bad').count(), 0);

    await sheet.getByRole('button', { name: /^Posting: /u }).click();
    await sheet.getByLabel('Posting', { exact: true }).fill('https://acme.example/');
    await page.keyboard.press('Enter');
    await sheet.getByRole('link', { name: /Posting/u }).waitFor();
    const { applications } = await send('{ applications(filter: { text: "acme" }) { edges { node { notes jobPostingUrl } } } }');
    const [{ node }] = applications.edges;
    assert.deepEqual(node, { notes: 'Ask Kim', jobPostingUrl: 'https://acme.example/' });
  }),
);
