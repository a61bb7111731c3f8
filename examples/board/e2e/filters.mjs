// Filters by category, source and skills, and the archive: what fits is listed, what changes elsewhere
// comes and goes with it, and a link holds all of it.

import assert from 'node:assert/strict';
import { card, closeMenu, column, counts, create, openMenu, send, withBoard } from './harness.mjs';

await create({ companyName: 'Acme', status: 'APPLIED', companyCategory: 'AI', jobSource: 'LINKEDIN', skillsMatch: 5 });
await create({ companyName: 'Borel', status: 'APPLIED', companyCategory: 'FINANCE', jobSource: 'INDEED', skillsMatch: 2 });
await create({ companyName: 'Curie', status: 'APPLIED', companyCategory: 'AI' });
const darwin = await create({ companyName: 'Darwin', status: 'APPLIED', companyCategory: 'AI', skillsMatch: 4 });
await send(`mutation { archiveApplication(input: { id: "${darwin}" }) { userErrors { code } } }`);

await withBoard(async (open) => {
  const page = await open();
  const applied = column(page, 'Applied');

  /** Waits until the column lists these and no others. */
  async function lists(...names) {
    await counts(page, 'Applied', names.length);
    for (const name of names) await card(applied, name).waitFor();
  }

  const filter = page.getByRole('button', { name: 'Filter', exact: true });

  /** Opens the filter's menu at one of its parts. */
  async function menu(part) {
    await openMenu(page, filter);
    await page.getByRole('menuitem', { name: part }).press('ArrowRight');
    await page.locator('[role="menu"]:focus-within').getByRole(/^Skills/u.test(part) ? 'menuitemradio' : 'menuitemcheckbox').first().waitFor();
  }

  const close = () => closeMenu(page, filter);

  await lists('Acme', 'Borel', 'Curie');

  await menu('Company category');
  await page.getByRole('menuitemcheckbox', { name: 'AI', exact: true }).press('Enter');
  await lists('Acme', 'Curie');
  await page.getByRole('menuitemcheckbox', { name: 'Finance' }).press('Enter');
  await lists('Acme', 'Borel', 'Curie');
  await page.getByRole('menuitemcheckbox', { name: 'Finance' }).press('Enter');
  await lists('Acme', 'Curie');
  await close();

  await menu('Source');
  await page.getByRole('menuitemcheckbox', { name: 'LinkedIn' }).press('Enter');
  await lists('Acme');
  await page.getByRole('menuitemcheckbox', { name: 'LinkedIn' }).press('Enter');
  await lists('Acme', 'Curie');
  await close();

  await menu('Skills match');
  await page.getByRole('menuitemradio', { name: '3 or better' }).press('Enter');
  await lists('Acme');

  // What another program makes is listed where it fits. Changes come in order.
  await create({ companyName: 'Euler', status: 'APPLIED', companyCategory: 'AI', skillsMatch: 2 });
  const fermi = await create({ companyName: 'Fermi', status: 'APPLIED', companyCategory: 'AI', skillsMatch: 3 });
  await lists('Acme', 'Fermi');
  await send(
    `mutation { updateApplication(input: { id: "${fermi}", companyCategory: ENERGY }) { userErrors { code } } }`,
  );
  await lists('Acme');

  // A reload is a shared link: the filter is in the address.
  const address = new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
  assert.deepEqual([...address], [['category', 'AI'], ['skills', '3']]);
  await page.reload();
  await lists('Acme');
  await openMenu(page, filter);
  await page.getByRole('menuitem', { name: 'Clear all' }).press('Enter');
  await lists('Acme', 'Borel', 'Curie', 'Euler', 'Fermi');

  // Dates and salaries have ends that are typed.
  await send(`mutation { updateApplication(input: { id: "${fermi}", dateApplied: "2026-10-05", salaryMin: 80000, salaryMax: 90000 }) { userErrors { code } } }`);
  async function ranges(values) {
    await openMenu(page, filter);
    await page.getByRole('menuitem', { name: /^Date and salary/u }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Filter by date and salary' });
    for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label).fill(value);
    await dialog.getByRole('button', { name: 'Filter' }).click();
    return dialog;
  }
  await ranges({ 'Applied on or after': '2026-10-01', 'Applied on or before': '2026-10-31' });
  await lists('Fermi');
  await ranges({ 'Salary of at least': '85k', 'Salary of at most': '' });
  await lists('Fermi');
  // An amount that names a currency is of that currency alone.
  await ranges({ 'Salary of at least': '£85k' });
  await lists();
  await send(`mutation { updateApplication(input: { id: "${fermi}", salaryCurrency: "GBP" }) { userErrors { code } } }`);
  await lists('Fermi');
  const wrong = await ranges({ 'Salary of at most': '€95k' });
  await wrong.getByRole('alert').getByText('“€95k” is not in GBP').waitFor();
  await wrong.getByLabel('Salary of at most').fill('');
  await wrong.getByLabel('Currency').selectOption('any');
  await wrong.getByRole('button', { name: 'Filter' }).click();
  // A change may come between the edges and the total of an answer: the total is then ahead of the edges.
  await page.route('**/graphql', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll('"totalCount":1', '"totalCount":0') });
  });
  await page.reload();
  await card(applied, 'Fermi').waitFor();
  await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
  await page.unroute('**/graphql');
  // What leaves the range elsewhere leaves the list, and comes back.
  await send(`mutation { updateApplication(input: { id: "${fermi}", salaryMax: 82000 }) { userErrors { code } } }`);
  await lists();
  await send(`mutation { updateApplication(input: { id: "${fermi}", salaryMax: 95000 }) { userErrors { code } } }`);
  await lists('Fermi');
  const ends = new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
  assert.deepEqual([...ends], [['appliedFrom', '2026-10-01'], ['appliedTo', '2026-10-31'], ['salaryFrom', '85000']]);
  await openMenu(page, filter);
  await page.getByRole('menuitem', { name: 'Clear all' }).press('Enter');
  await lists('Acme', 'Borel', 'Curie', 'Euler', 'Fermi');

  // Tags, the place and what comes next, and what leaves or joins them elsewhere.
  const acme = (await send('{ applications(filter: { text: "Acme" }) { edges { node { id } } } }')).applications.edges[0].node.id;
  const change = (id, input) =>
    send('mutation($input: UpdateApplicationInput!) { updateApplication(input: $input) { userErrors { code message } } }', { input: { id, ...input } });
  await change(acme, { tags: ['Café work', 'rust'], location: 'Zürich, Switzerland', isRemote: true, nextAction: 'Call', nextActionDate: '2026-12-03' });
  await change(fermi, { tags: ['go'], location: 'Berlin', isRemote: false });
  async function places(values) {
    await openMenu(page, filter);
    await page.getByRole('menuitem', { name: /^Tags and place/u }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Filter by tags and place' });
    for (const [label, value] of Object.entries(values)) {
      const field = dialog.getByLabel(label);
      await (label === 'Remote' ? field.selectOption(value) : field.fill(value));
    }
    await dialog.getByRole('button', { name: 'Filter' }).click();
  }
  await card(applied, 'Acme').getByText('Zürich, Switzerland, remote').waitFor();
  await card(applied, 'Acme').getByText('Café work').waitFor();
  await card(applied, 'Acme').getByText('Call').waitFor();
  await places({ 'One of the tags': 'cafe work, go' });
  await lists('Acme', 'Fermi');
  await places({ Location: 'zurich' });
  await lists('Acme');
  await places({ Location: '', Remote: 'On site' });
  await lists('Fermi');
  await change(fermi, { isRemote: true });
  await lists();
  await places({ Remote: 'Remote' });
  await lists('Acme', 'Fermi');
  await change(fermi, { tags: ['python'] });
  await lists('Acme');
  await ranges({ 'Next step on or after': '2026-12-01', 'Next step on or before': '2026-12-02' });
  await lists();
  await ranges({ 'Next step on or before': '2026-12-03' });
  await lists('Acme');
  await openMenu(page, filter);
  await page.getByRole('menuitem', { name: 'Clear all' }).press('Enter');
  await lists('Acme', 'Borel', 'Curie', 'Euler', 'Fermi');

  await page.getByRole('button', { name: 'Show archive' }).click();
  await page.getByRole('heading', { name: 'Archive' }).waitFor();
  await lists('Darwin');
  await card(page, 'Darwin').getByRole('button', { name: 'Actions for Darwin' }).click();
  await page.getByRole('menuitem', { name: 'Take out of the archive' }).click();
  await counts(page, 'Applied', 0);
  await card(page, 'Darwin').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show archive' }).click();
  await lists('Acme', 'Borel', 'Curie', 'Darwin', 'Euler', 'Fermi');
});
