// A server that wants an API key: the board asks for one, says when it is refused, and goes on with the
// right one, live changes too. The second and third argument are a key that may write and one that may not.

import assert from 'node:assert/strict';
import { MARK } from 'trestle-web-kit/e2e/strangers.mjs';
import { card, column, create, openMenu, saved, send, withBoard } from './harness.mjs';

const [key, reader] = process.argv.slice(3);
assert(key && reader, 'give a key that may write and one that may only read');

const visa = await create({ companyName: 'Visa', status: 'APPLIED' }, key);

const UNAUTHENTICATED = {
  status: 401,
  headers: MARK,
  contentType: 'application/graphql-response+json',
  body: JSON.stringify({ errors: [{ message: 'refused', extensions: { code: 'UNAUTHENTICATED' } }] }),
};

/** Gives this operation of the page so many times another answer. Answers with a promise of the last of them. */
async function refusing(page, operation, count, answer) {
  let left = count;
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  await page.route('**/graphql', async (route) => {
    const isIt = route.request().postData()?.includes(`"operationName":"${operation}"`);
    if (!isIt || left === 0) return route.fallback();
    left -= 1;
    await route.fulfill(answer);
    if (left === 0) end();
  });
  return { ended };
}

const run = async (open) => {
  const page = await open();
  const dialog = page.getByRole('dialog', { name: 'Who are you?' });

  async function give(text) {
    await dialog.getByLabel('API key or token').fill(text);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
  }

  await dialog.waitFor();
  assert.equal(await card(page, 'Visa').count(), 0);
  // One sentence behind it, in words of the page.
  await page.getByText('Sign in to see the applications.').waitFor();
  assert.equal(await page.getByText('could not be loaded').count(), 0);
  await give(`${key}x`);
  await dialog.getByText('The server refuses what was given.').waitFor();
  await give(key);
  await card(column(page, 'Applied'), 'Visa').waitFor();
  await dialog.waitFor({ state: 'detached' });

  // The live connection has the key too.
  const axon = await create({ companyName: 'Axon', status: 'APPLIED' }, key);
  await card(column(page, 'Applied'), 'Axon').waitFor();

  // A further tab of this browser need not ask again, and what is signed in there is live.
  const beside = await open('#/table', { beside: page });
  await beside.getByRole('link', { name: 'Visa' }).waitFor();
  assert.equal(await beside.getByRole('dialog').count(), 0);
  await beside.locator('[data-connection="live"]').waitFor({ state: 'attached' });
  await beside.close();

  // The browser keeps the key, and no other has it. A server that cannot say who that is, is asked again.
  await refusing(page, 'Viewer', 2, { status: 500, body: 'broken' });
  await page.reload();
  await card(page, 'Visa').waitFor();
  assert.equal(await dialog.count(), 0);
  await page.getByText('Signed in as write').waitFor();
  assert.equal(await page.getByText('Read only').count(), 0);

  // What is changed while the key is refused waits, however often that happens.
  const { ended } = await refusing(page, 'MoveApplication', 2, UNAUTHENTICATED);
  await openMenu(page, card(page, 'Axon').getByRole('button', { name: 'Actions for Axon' }));
  await page.getByRole('menuitem', { name: 'Interviewing', exact: true }).press('Enter');
  await dialog.getByText('The server refuses what was given.').waitFor();
  await give(key);
  await ended;
  await dialog.getByText('The server refuses what was given.').waitFor();
  await saved(page, 'MoveApplication', () => give(key));
  await card(column(page, 'Interviewing'), 'Axon').waitFor();
  const { application: moved } = await send(`{ application(id: "${axon}") { status } }`, {}, key);
  assert.equal(moved.status, 'INTERVIEWING');

  // What is stored nowhere does not: it is refused, and said so.
  await page.getByRole('link', { name: 'Import' }).click();
  const importing = page.getByRole('dialog', { name: 'Import applications' });
  const file = { name: 'jobs.csv', mimeType: 'text/csv', buffer: Buffer.from('Company,Job Title\nBorel,Writer\n') };
  await importing.getByLabel('CSV file').setInputFiles(file);
  await refusing(page, 'ImportApplications', 1, UNAUTHENTICATED);
  await importing.getByRole('button', { name: 'Import 1' }).click();
  await dialog.getByText('The server refuses what was given.').waitFor();
  await give(key);
  await importing.getByText('0 imported, 1 refused').waitFor();
  await importing.getByRole('button', { name: 'Done' }).click();

  // Who signs out is signed out in every tab, and who signs in, in all of them.
  const again = await open('#/', { beside: page });
  await card(again, 'Visa').waitFor();
  await again.getByRole('button', { name: 'Sign out' }).click();
  await again.getByRole('dialog', { name: 'Who are you?' }).waitFor();
  await dialog.waitFor();
  assert.equal(await card(page, 'Visa').count(), 0);
  await give(key);
  await card(again, 'Visa').waitFor();
  await again.close();

  // Whose key may only read, is not offered what would be refused.
  const third = await open('#/add');
  // A browser without room for it does without the note of who this is.
  await third.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (name, value) {
      if (name === 'trestle-board-person') throw new DOMException('full', 'QuotaExceededError');
      setItem.call(this, name, value);
    };
  });
  await third.getByLabel('API key or token').fill(reader);
  await third.keyboard.press('Enter');
  await third.getByText('Signed in as read').waitFor();
  await third.getByText('Read only').waitFor();
  await card(third, 'Visa').waitFor();
  for (const name of ['Import', 'Add application', 'Actions for Visa', 'Drag Visa']) {
    assert.equal(await third.getByRole('link', { name }).or(third.getByRole('button', { name })).count(), 0, name);
  }
  assert.equal(await third.getByRole('dialog').count(), 0);
  await card(third, 'Visa').getByRole('link').click();
  await third.getByRole('dialog', { name: 'Visa, Engineer' }).getByText('Application created').waitFor();
  assert(await third.getByRole('button', { name: /^Notes: / }).isDisabled());
  assert.equal(await third.getByRole('button', { name: 'Archive', exact: true }).count(), 0);

  // A server that only refuses when something is changed.
  const other = await open();
  await other.route('**/graphql', async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    await route.fulfill({ response, body: body.replace('"canWrite":false', '"canWrite":true') });
  });
  const asked = other.getByRole('dialog', { name: 'Who are you?' });
  await asked.getByLabel('API key or token').fill(reader);
  await other.keyboard.press('Enter');
  await card(other, 'Visa').waitFor();

  // A key that may only read: the change is taken back, with the reason.
  await openMenu(other, card(other, 'Visa').getByRole('button', { name: 'Actions for Visa' }));
  await other.getByRole('menuitem', { name: 'Rejected', exact: true }).press('Enter');
  await other.getByText('These credentials may only read.').first().waitFor();
  await card(column(other, 'Applied'), 'Visa').waitFor();
  // From then on nothing is offered that would be refused.
  await other.getByText('Read only').waitFor();
  assert.equal(await other.getByRole('button', { name: 'Actions for Visa' }).count(), 0);
  assert.equal(await other.getByRole('link', { name: 'Add application' }).count(), 0);
  const { application } = await send(`{ application(id: "${visa}") { version } }`, {}, reader);
  assert.equal(application.version, 1);
  await other.getByRole('button', { name: 'Sign out' }).click();
  await asked.waitFor();
};

// Chromium reports each request that was refused.
await withBoard(run, { expected: /status of (?:40[13]|500) / });
