// What was changed without a network outlives its page: whoever opens the next one sends it, and a change of somebody else in
// between is shown as always.

import assert from 'node:assert/strict';
import { stores as storesIn } from 'trestle-web-kit/e2e/queue.mjs';
import { arrived, canDrag, card, column, create, drag, openMenu, send, stored, withBoard } from './harness.mjs';

const visa = await create({ companyName: 'Visa', status: 'APPLIED' });
const axon = await create({ companyName: 'Axon', status: 'APPLIED' });
const borel = await create({ companyName: 'Borel', status: 'APPLIED' });

const stores = (page, count) => storesIn(page, 'trestle-board', count);

await withBoard(async (open) => {
  const page = await open();
  await card(column(page, 'Applied'), 'Visa').waitFor();
  await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
  // The menus come after the first page.
  await card(page, 'Borel').getByRole('button', { name: 'Actions for Borel' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Archive' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Add application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an application' });
  await dialog.waitFor();
  await canDrag(page);
  await page.context().setOffline(true);
  await page.getByText('You are offline. What you change is kept, also if you close the page').waitFor();

  // An application that is added shows at once, and can be moved.
  await dialog.getByLabel('Company').fill('Curie');
  await dialog.getByLabel('Position').fill('Chemist');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.waitFor({ state: 'detached' });
  await card(column(page, 'To apply'), 'Curie').waitFor();
  await page.getByText('1 change waits.').waitFor();
  await drag(page, card(page, 'Curie'), column(page, 'Applied'));
  await card(column(page, 'Applied'), 'Curie').waitFor();

  await drag(page, card(page, 'Visa'), column(page, 'Interviewing'));
  await card(column(page, 'Interviewing'), 'Visa').waitFor();
  await drag(page, card(page, 'Visa'), column(page, 'Offer'));
  await card(column(page, 'Offer'), 'Visa').waitFor();
  await drag(page, card(page, 'Axon'), column(page, 'Offer'));
  await card(column(page, 'Offer'), 'Axon').waitFor();
  await openMenu(page, card(page, 'Borel').getByRole('button', { name: 'Actions for Borel' }));
  await page.getByRole('menuitem', { name: 'Archive' }).press('Enter');
  await card(page, 'Borel').waitFor({ state: 'detached' });
  await page.getByText('6 changes wait.').waitFor();
  await stores(page, 6);
  await send(
    `mutation { updateApplication(input: { id: "${axon}", status: REJECTED }) { userErrors { code } } }`,
  );
  assert.equal((await stored(visa)).version, 1);

  // Nothing of it is lost with the page.
  const context = page.context();
  const empty = await context.newPage();
  await page.close();
  await context.setOffline(false);
  const next = await open('#/', { beside: empty });
  const asked = next.getByRole('alertdialog', { name: 'Changed somewhere else' });
  await asked.getByRole('row', { name: 'Status Offer Rejected' }).waitFor();
  await arrived(visa, { status: 'GIVEN_OFFER', version: 3 });
  await arrived(borel, { isArchived: true, version: 2 });
  const { applications } = await send('{ applications(filter: { text: "curie" }) { edges { node { id status } } } }');
  assert.equal(applications.edges.length, 1);
  await arrived(applications.edges[0].node.id, { status: 'APPLIED', version: 2 });
  // What the person has to decide is kept until they have.
  await stores(next, 1);
  await asked.getByRole('button', { name: 'Save mine' }).click();
  await arrived(axon, { status: 'GIVEN_OFFER' });
  await card(column(next, 'Offer'), 'Visa').waitFor();
  await stores(next, 0);

  // Sent once: another page has nothing to send.
  const { version } = await stored(visa);
  await next.reload();
  await card(column(next, 'Offer'), 'Visa').waitFor();
  await next.locator('[data-connection="live"]').waitFor({ state: 'attached' });
  assert.equal((await stored(visa)).version, version);
});
