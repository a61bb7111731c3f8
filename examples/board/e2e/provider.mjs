// People sign in at an identity provider: the page sends them there, takes them back to where they were, keeps them signed in
// in all tabs and signs them out. Takes the binary.

import assert from 'node:assert/strict';
import { examine } from 'trestle-web-kit/e2e/axe.mjs';
import { signInAs, withProvider } from 'trestle-web-kit/e2e/provider.mjs';
import { stores } from 'trestle-web-kit/e2e/queue.mjs';
import { withServer } from 'trestle-web-kit/e2e/served.mjs';
import { board, card, column, withBoard } from './harness.mjs';

/** Waits until the provider has done something so often. */
async function happens(page, provider, what, count) {
  for (let tries = 0; provider.did.filter((each) => each === what).length < count; tries += 1) {
    assert(tries < 600, `${provider.did} has not ${count} of ${what}`);
    await page.waitForTimeout(50);
  }
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

  // Who signs out is signed out in all tabs and at the provider.
  await page.getByRole('button', { name: 'Sign out' }).click();
  await dialogOf(beside).waitFor();
  await dialogOf(page).waitFor();
  await happens(page, provider, 'ended', 1);
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
  await happens(page, provider, 'renewed', 2);
  for (let tries = 0; tokens.size < 3; tries += 1) {
    assert(tries < 600, `the WebSocket has had ${tokens.size} tokens`);
    await page.waitForTimeout(50);
  }
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
  await endsMeanwhile(page, provider, 'Curie');
  await signInAs(page, provider, 'ada');
  await card(column(page, 'To apply'), 'Curie').waitFor();
  await stores(page, 'trestle-board', 0);
  await page.close();
}

/** Adds an application without a network while the session ends, and waits until that is said. */
async function endsMeanwhile(page, provider, company) {
  await page.context().setOffline(true);
  await add(page, company);
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

/** What one person changed is not sent as another one. */
async function another(open, provider) {
  provider.renews = true;
  provider.lifetime = 9;
  const page = await open();
  await signInAs(page, provider, 'ada');
  await card(page, 'Acme').waitFor();
  await live(page);
  // The dialog is loaded before there is no network.
  await page.getByRole('link', { name: 'Add application' }).click();
  await page.getByRole('dialog', { name: 'Add an application' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await endsMeanwhile(page, provider, 'Dirac');
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

await withProvider((provider) => {
  const flags = ['--board', '--tenancy', 'owner', '--recheck-credentials', '1s', ...provider.flags];
  return withServer(process.argv[2], flags, () =>
    withBoard(
      async (open) => {
        for (const part of [aDay, renewal, another, refusals]) await part(open, provider);
      },
      // Chromium reports each request that was refused or lost.
      { expected: /status of (?:40[0-9]|503) |net::ERR_|WebSocket|Failed to fetch/u },
    ),
  );
});
