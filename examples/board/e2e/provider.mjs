// People sign in at an identity provider: the page sends them there, takes them back to where they were, keeps them signed in
// in all tabs and signs them out. Takes the binary.

import assert from 'node:assert/strict';
import { examine } from 'trestle-web-kit/e2e/axe.mjs';
import { signInAs, withProvider } from 'trestle-web-kit/e2e/provider.mjs';
import { answersKept, stores } from 'trestle-web-kit/e2e/queue.mjs';
import { withServer } from 'trestle-web-kit/e2e/served.mjs';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { board, card, column, saved, withBoard } from './harness.mjs';

/** Waits until the provider has done something so often. */
async function happens(provider, what, count) {
  await eventually(() => provider.did, (did) => did.filter((each) => each === what).length >= count);
}

/** Holds the requests that a page makes to this address: answers when the first one is made, and the function that lets them pass. */
async function holding(page, address) {
  let begin;
  let pass;
  const begun = new Promise((resolve) => (begin = resolve));
  const passed = new Promise((resolve) => (pass = resolve));
  await page.route(address, (route) => {
    begin();
    return passed.then(() => route.continue());
  });
  return { begun, pass };
}

const live = (page) => page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
const dialogOf = (page) => page.getByRole('dialog', { name: 'Who are you?' });

/** Adds an application by the page's dialog. */
async function add(page, company) {
  await page.getByRole('link', { name: 'Add application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an application' });
  await dialog.getByLabel('Company').fill(company);
  await dialog.getByLabel('Position').fill('Engineer');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Has the page's dialog loaded before there is no network. */
async function loadsDialog(page) {
  await page.getByRole('link', { name: 'Add application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an application' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** What signs the person in, what they have then, and what signs them out. */
async function aDay(open, provider) {
  const page = await open('#/?text=a');
  await dialogOf(page).waitFor();
  await examine(page, 'signing in at a provider');
  // The page connects to its server and to the provider, and to no other origin on this machine.
  const answer = await fetch(board());
  const policy = answer.headers.get('content-security-policy');
  assert(policy.includes(`connect-src 'self' ${provider.issuer} https:;`), policy);
  assert.equal(policy.split(provider.issuer).length, 2, policy);

  // Who stays on the page can leave it later.
  const leaving = page.getByRole('button', { name: `Sign in with ${provider.host}` });
  await page.evaluate(() => window.addEventListener('beforeunload', (event) => event.preventDefault(), { once: true }));
  page.once('dialog', (dialog) => dialog.dismiss());
  await Promise.all([page.waitForEvent('dialog'), leaving.click()]);
  await page.locator('button:enabled').and(leaving).waitFor();
  // Who does not sign in is told so, and can try again.
  await page.getByRole('button', { name: `Sign in with ${provider.host}` }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await dialogOf(page).getByText(`The sign-in at ${provider.host} was cancelled or not allowed. Try again.`).waitFor();
  await signInAs(page, provider, 'ada');
  await page.getByText('Signed in as ada').waitFor();
  // Where they were, without the code in the address.
  assert.equal(page.url(), `${board()}#/?text=a`);
  await page.goto(`${board()}#/`);
  await add(page, 'Acme');
  await card(column(page, 'To apply'), 'Acme').waitFor();
  await live(page);

  await page.reload();
  await card(page, 'Acme').waitFor();
  const beside = await open('#/', { beside: page });
  await card(beside, 'Acme').waitFor();
  assert.equal(await beside.getByRole('dialog').count(), 0);
  assert.deepEqual(provider.did, ['code']);

  // Who signs out is signed out in all tabs and at the provider. What is answered late brings nothing of them back.
  await page.getByRole('link', { name: 'Table' }).click();
  await page.getByRole('table').getByRole('link', { name: 'Acme' }).waitFor();
  await answersKept(page, 'trestle-board', (count) => count > 0);
  const viewer = await holding(page, (url) => url.pathname === '/graphql');
  const answered = page.waitForResponse((response) => response.request().postData()?.includes('"operationName":"Viewer"'));
  await page.evaluate(() => window.dispatchEvent(new Event('trestle-signed-in')));
  await viewer.begun;
  const revocation = await holding(page, `${provider.issuer}/revoke`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await revocation.begun;
  await answersKept(page, 'trestle-board', (count) => count === 0);
  viewer.pass();
  await (await answered).finished();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  assert.equal(await page.evaluate(() => localStorage.getItem('trestle-board-person')), null);
  await answersKept(page, 'trestle-board', (count) => count === 0);
  revocation.pass();
  await dialogOf(beside).waitFor();
  await dialogOf(page).waitFor();
  await happens(provider, 'ended', 1);
  assert.deepEqual(provider.did, ['code', 'revoked', 'ended']);
  await page.unrouteAll();
  await page.waitForURL(board());
  await dialogOf(page).waitFor();
  await beside.close();
  await page.close();
}

/** A token that ends is renewed by one tab for all of them, and the live connection gets the new one. */
async function renewal(open, provider) {
  provider.did = [];
  provider.lifetime = 9;
  const page = await open();
  const tokens = new Set();
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      const { type, payload: given } = JSON.parse(payload);
      if (type === 'connection_init' && given?.authorization) tokens.add(given.authorization);
    });
  });
  await signInAs(page, provider, 'ada');
  await card(page, 'Acme').waitFor();
  await live(page);
  const beside = await open('#/', { beside: page });
  await card(beside, 'Acme').waitFor();
  await happens(provider, 'renewed', 2);
  await eventually(() => tokens.size, (count) => count >= 3);
  await live(page);
  await add(page, 'Born');
  await card(beside, 'Born').waitFor();
  for (const each of [page, beside]) assert.equal(await each.getByRole('dialog').count(), 0);
  // A refresh token that two tabs had used would have been refused.
  assert(!provider.did.includes('refresh'), provider.did.join());
  await beside.close();

  // A provider that is silent for a while ends nothing; what is changed meanwhile is sent when it is back.
  provider.down = true;
  await dialogOf(page).getByText(`${provider.host} does not answer. Try again.`).waitFor();
  provider.down = false;
  await dialogOf(page).waitFor({ state: 'detached' });
  await live(page);

  // A session that the provider ends is said to have ended. What was changed is kept, for the same person.
  await endsMeanwhile(page, provider, () => add(page, 'Curie'));
  // Why they were not signed in says more than that they have to be.
  await page.getByRole('button', { name: `Sign in with ${provider.host}` }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await dialogOf(page).getByText(`The sign-in at ${provider.host} was cancelled or not allowed. Try again.`).waitFor();
  await stores(page, 'trestle-board', 1);
  await signInAs(page, provider, 'ada');
  await card(column(page, 'To apply'), 'Curie').waitFor();
  await stores(page, 'trestle-board', 0);
  await page.close();
}

/** Changes something without a network while the session ends, and waits until that is said. */
async function endsMeanwhile(page, provider, change) {
  await page.context().setOffline(true);
  await change();
  await page.getByText('1 change waits.').waitFor();
  await stores(page, 'trestle-board', 1);
  provider.renews = false;
  provider.lifetime = 3600;
  const before = provider.did.length;
  await page.waitForFunction(() => JSON.parse(sessionStorage.getItem('trestle-board-session')).end < Date.now());
  await page.context().setOffline(false);
  await dialogOf(page).getByText('Your session has ended.').waitFor();
  assert(provider.did.slice(before).includes('refresh'), provider.did.join());
  await stores(page, 'trestle-board', 1);
}

/** A change of what is read once more before it is sent waits for the person as well. */
async function contact(open, provider) {
  provider.renews = true;
  provider.lifetime = 9;
  const page = await open();
  await signInAs(page, provider, 'ada');
  await card(page, 'Acme').getByRole('link').click();
  const sheet = page.getByRole('dialog', { name: 'Acme, Engineer' });
  await sheet.getByRole('textbox', { name: 'New contact' }).fill('Kim');
  await saved(page, 'AddContact', () => page.keyboard.press('Enter'));
  await live(page);
  await endsMeanwhile(page, provider, async () => {
    await sheet.getByRole('button', { name: 'Role of Kim: Add' }).click();
    await sheet.getByRole('textbox', { name: 'Role of Kim' }).fill('Recruiter');
    await page.keyboard.press('Enter');
  });
  await signInAs(page, provider, 'ada');
  await stores(page, 'trestle-board', 0);
  // Until then what was typed is in its field.
  await page.reload();
  await sheet.getByRole('button', { name: 'Role of Kim: Recruiter' }).waitFor();
  await page.close();
}

/** A tab takes from another one what the same person was given, and nothing of somebody else. */
async function besideAnother(open, provider) {
  provider.renews = false;
  provider.lifetime = 5;
  const page = await open();
  await signInAs(page, provider, 'ada');
  await dialogOf(page).getByText('Your session has ended.').waitFor();
  provider.lifetime = 3600;
  const beside = await open('#/', { beside: page });
  await signInAs(beside, provider, 'grace');
  await beside.getByText('Signed in as grace').waitFor();
  await live(beside);
  provider.renews = true;
  provider.lifetime = 9;
  await signInAs(page, provider, 'ada');
  await card(page, 'Acme').waitFor();
  await live(page);
  await loadsDialog(page);
  await endsMeanwhile(page, provider, () => add(page, 'Elion'));
  await signInAs(page, provider, 'ada');
  await card(page, 'Elion').waitFor();
  await beside.close();
  await page.close();
}

/** A renewal that is refused late changes nothing of what was given meanwhile. */
async function overtaken(open, provider) {
  provider.renews = true;
  provider.lifetime = 3600;
  const other = await open();
  await signInAs(other, provider, 'ada');
  await card(other, 'Acme').waitFor();
  const token = await other.evaluate(() => sessionStorage.getItem('trestle-board-credential'));
  await other.close();
  provider.lifetime = 6;
  const page = await open();
  await signInAs(page, provider, 'ada');
  await card(page, 'Acme').waitFor();
  provider.down = true;
  await dialogOf(page).getByText(`${provider.host} does not answer. Try again.`).waitFor();
  const renewal = await holding(page, `${provider.issuer}/token`);
  provider.down = false;
  provider.renews = false;
  await renewal.begun;
  await dialogOf(page).getByText('Use an API key or a token').click();
  await dialogOf(page).getByLabel('API key or token').fill(token);
  await page.keyboard.press('Enter');
  await dialogOf(page).waitFor({ state: 'detached' });
  const refused = page.waitForResponse(`${provider.issuer}/token`);
  renewal.pass();
  await (await refused).finished();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  assert.equal(await page.evaluate(() => sessionStorage.getItem('trestle-board-credential')), token);
  assert.equal(await dialogOf(page).count(), 0);
  await page.close();
}

/** What one person changed is not sent as another one. */
async function another(open, provider) {
  provider.renews = true;
  provider.lifetime = 9;
  const page = await open();
  await signInAs(page, provider, 'ada');
  await card(page, 'Acme').waitFor();
  await live(page);
  await loadsDialog(page);
  await endsMeanwhile(page, provider, () => add(page, 'Dirac'));
  await signInAs(page, provider, 'grace');
  await page.getByText('Signed in as grace').waitFor();
  await page.getByRole('link', { name: 'Add the first one' }).waitFor();
  await stores(page, 'trestle-board', 0);
  await page.close();
  const own = await open();
  await signInAs(own, provider, 'ada');
  await card(own, 'Acme').waitFor();
  assert.equal(await card(own, 'Dirac').count(), 0);
  await own.close();
}

/** Answers of others, and of a provider that is wrong. */
async function refusals(open, provider) {
  provider.lifetime = 3600;
  provider.did = [];
  const page = await open(`${board()}?code=stolen&state=made-up`);
  const strange = `The answer of ${provider.host} does not belong to a sign-in that this tab began. Try again.`;
  await dialogOf(page).getByText(strange).waitFor();
  assert.equal(page.url(), board());

  // An answer to a question that this tab asked, with another state.
  await page.getByRole('button', { name: `Sign in with ${provider.host}` }).click();
  await page.getByLabel('Name').waitFor();
  await page.goto(`${board()}?code=stolen&state=made-up`);
  await dialogOf(page).getByText(strange).waitFor();
  assert.deepEqual(provider.did, []);

  provider.skew = -7200;
  await signInAs(page, provider, 'ada');
  await dialogOf(page)
    .getByText(`The clocks of this device and of ${provider.host} differ by more than a minute.`)
    .waitFor();
  provider.skew = 0;
  provider.down = true;
  await page.getByRole('button', { name: `Sign in with ${provider.host}` }).click();
  await dialogOf(page).getByText(`${provider.host} does not answer. Try again.`).waitFor();
  provider.down = false;

  // Somebody else sees nothing of it.
  await signInAs(page, provider, 'grace');
  await page.getByText('Signed in as grace').waitFor();
  await page.getByRole('link', { name: 'Add the first one' }).waitFor();
  // A key is taken as well.
  const other = await open();
  await dialogOf(other).getByText('Use an API key or a token').click();
  await dialogOf(other).getByLabel('API key or token').fill('trk_unknown');
  await other.keyboard.press('Enter');
  await dialogOf(other).getByText('The server refuses what was given.').waitFor();
}

/** A session that nothing renews is announced to end. Who signs in again goes on, also with a file that was chosen for an import. */
async function announced(open, provider) {
  provider.lifetime = 150;
  provider.renews = false;
  const page = await open();
  await signInAs(page, provider, 'ada');
  await page.getByText(/^Your session ends at \d/u).waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.getByRole('link', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import applications' });
  const buffer = Buffer.from('Company,Position\nNobel,Chemist\n');
  await dialog.getByLabel('CSV file').setInputFiles({ name: 'jobs.csv', mimeType: 'text/csv', buffer });
  await dialog.getByText('1 new').waitFor();
  provider.lifetime = 3600;
  // As a press on it does, which the open dialog is over.
  await page.getByText('Sign in again').dispatchEvent('click');
  await dialogOf(page).getByText('Your session ends soon.').waitFor();
  await signInAs(page, provider, 'ada');
  await dialog.getByText('1 new').waitFor();
  assert.equal(await page.getByText(/^Your session ends at/u).count(), 0);
  await dialog.getByRole('button', { name: 'Import 1' }).click();
  await dialog.getByText('1 imported, 0 refused').waitFor();
  // What was imported is not offered once more.
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Import' }).click();
  await dialog.getByText('Choose a CSV file, or drop it here').waitFor();
  provider.renews = true;
}

await withProvider((provider) => {
  const flags = ['--tenancy', 'owner', '--recheck-credentials', '1s', ...provider.flags];
  return withServer(process.argv[2], flags, () =>
    withBoard(
      async (open) => {
        for (const part of [aDay, renewal, contact, besideAnother, overtaken, another, refusals, announced]) await part(open, provider);
      },
      // Chromium reports each request that was refused or lost.
      { expected: /status of (?:40[0-9]|503) |net::ERR_|WebSocket|Failed to fetch/u },
    ),
  );
});
