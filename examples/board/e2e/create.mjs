// Quick add: errors are shown beside their fields, and what is added is on the board and on the server.

import assert from 'node:assert/strict';
import { card, column, send, withBoard } from './harness.mjs';

await withBoard(async (open) => {
  const page = await open();
  // A person who is here for the first time is shown where to begin, until there is something.
  const welcome = page.getByRole('region', { name: 'Start' });
  await welcome.getByRole('link', { name: 'Import a spreadsheet' }).waitFor();
  await welcome.getByRole('link', { name: 'Add the first one' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an application' });
  await dialog.getByLabel('Company').fill('Acme');
  // A dialog that is closed by a slip loses nothing.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await welcome.getByRole('link', { name: 'Add the first one' }).click();
  assert.equal(await dialog.getByLabel('Company').inputValue(), 'Acme');
  await dialog.getByLabel('Column').selectOption('Applied');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByRole('alert').filter({ hasText: '“Position”' }).waitFor();

  await dialog.getByLabel('Position').fill('Engineer');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await card(column(page, 'Applied'), 'Acme').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await welcome.waitFor({ state: 'detached' });
  await column(page, 'Applied').locator('.total', { hasText: /^\s*1\s*$/ }).waitFor();

  // An address is taken as people write it, and one that is tracked already is said.
  await page.getByRole('link', { name: 'Add application' }).click();
  await dialog.getByLabel('Company').fill('Borel');
  await dialog.getByLabel('Position').fill('Writer');
  await dialog.getByLabel('Posting').fill('www.borel.example/jobs/1');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.waitFor({ state: 'detached' });
  await card(column(page, 'To apply'), 'Borel').waitFor();
  await page.getByRole('link', { name: 'Add application' }).click();
  await dialog.getByLabel('Posting').fill('https://www.borel.example/jobs/1');
  await dialog.getByLabel('Posting').blur();
  await dialog.getByText('You track this posting already').waitFor();
  await dialog.getByRole('link', { name: 'Borel, Writer' }).click();
  await page.getByRole('dialog', { name: 'Borel, Writer' }).getByText('Application created').waitFor();
  // So is one with the same company and position, and a link fills what its address says into what is empty.
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Add application' }).click();
  await dialog.getByLabel('Posting').fill('');
  await dialog.getByLabel('Company').fill('BOREL');
  await dialog.getByLabel('Position').fill('writer');
  await dialog.getByLabel('Position').blur();
  await dialog.getByText('You track this job already').waitFor();
  await dialog.getByRole('link', { name: 'Borel, Writer' }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  for (const [link, company, position] of [
    ['https://jobs.lever.co/hooli-labs/0f1e2d3c-aaaa-bbbb-cccc-000000000000', 'Hooli Labs', ''],
    ['careers.initech.example/jobs/senior-data-engineer-12345', 'Initech', 'Senior Data Engineer'],
    ['https://www.linkedin.com/jobs/view/head-of-qa-at-globex-4012345678', 'Globex', 'Head of QA'],
  ]) {
    await page.getByRole('link', { name: 'Add application' }).click();
    await dialog.getByLabel('Posting').fill(link);
    await dialog.getByLabel('Posting').blur();
    assert.deepEqual(
      [await dialog.getByLabel('Company').inputValue(), await dialog.getByLabel('Position').inputValue()],
      [company, position],
    );
    if (company !== 'Globex') await dialog.getByRole('button', { name: 'Cancel' }).click();
  }
  await dialog.getByLabel('Location').fill('Lyon');
  await dialog.getByLabel('Tags').fill('qa, lead');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await card(column(page, 'To apply'), 'Globex').getByText('lead').waitFor();
  const globex = await send('{ applications(filter: { text: "globex" }) { edges { node { id jobSource location tags } } } }');
  const [{ node: { id: globexId, ...made } }] = globex.applications.edges;
  assert.deepEqual(made, { jobSource: 'LINKEDIN', location: 'Lyon', tags: ['qa', 'lead'] });
  await send(`mutation { deleteApplication(input: { id: "${globexId}" }) { userErrors { code } } }`);
  const { applications: borels } = await send('{ applications(filter: { text: "borel" }) { edges { node { id } } } }');
  const borel = borels.edges[0].node.id;
  await send(`mutation { deleteApplication(input: { id: "${borel}" }) { userErrors { code } } }`);
  await page.evaluate(() => (location.hash = '#/'));

  const { applications } = await send('{ applications { edges { node { companyName status } } } }');
  assert.deepEqual(applications.edges, [{ node: { companyName: 'Acme', status: 'APPLIED' } }]);
  // What was typed is there after a reload too: nothing lives in the page alone.
  await page.reload();
  await card(column(page, 'Applied'), 'Acme').waitFor();
});
