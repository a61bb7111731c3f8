// A server with a list for each owner: two people in two browsers see their own applications and none of the other's, and
// who signs in after somebody else finds nothing of theirs. The second and third argument are keys of two owners, `ada` and `grace`.

import assert from 'node:assert/strict';
import { answersKept } from 'trestle-web-kit/e2e/queue.mjs';
import { stored } from 'trestle-web-kit/e2e/stored.mjs';
import { MARK } from 'trestle-web-kit/e2e/strangers.mjs';
import { card, column, counts, create, send, withBoard } from './harness.mjs';

const [adaKey, graceKey] = process.argv.slice(3);
assert(adaKey && graceKey, 'give the keys of two owners');

/** What each of them owns, and what the other one must never get: names, and later ids. */
const ada = { name: 'ada', key: adaKey, words: ['Quokka', 'auth0|ada'] };
const grace = { name: 'grace', key: graceKey, words: ['Narwhal', 'auth0|grace'] };

function signInDialog(page) {
  return page.getByRole('dialog', { name: 'Who are you?' });
}

async function signIn(page, person) {
  await signInDialog(page).getByLabel('API key or token').fill(person.key);
  await signInDialog(page).getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(`Signed in as ${person.name}`).waitFor();
  await isLive(page);
}

/** Waits until the changes of others arrive. */
async function isLive(page) {
  await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
}

/** A browser with everything that its WebSockets received. */
async function listening(open) {
  const page = await open();
  await signInDialog(page).waitFor();
  const heard = [];
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => heard.push(String(payload))));
  await page.reload();
  return { page, heard };
}

/** Adds an application as a person does. */
async function add(page, company) {
  await page.getByRole('link', { name: 'Add application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an application' });
  await dialog.getByLabel('Company').fill(company);
  await dialog.getByLabel('Position').fill('Engineer');
  await dialog.getByLabel('Column').selectOption('Applied');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await card(column(page, 'Applied'), company).waitFor();
  await dialog.waitFor({ state: 'detached' });
}

/** Adds an application of this person elsewhere. */
async function addElsewhere(person, company) {
  const id = await create({ companyName: company, status: 'APPLIED' }, person.key);
  person.words.push(id);
  return id;
}

/** The page has these cards, no others, and nothing of the other person. */
async function showsOnly(page, companies, other) {
  for (const company of companies) await card(column(page, 'Applied'), company).waitFor();
  await counts(page, 'Applied', companies.length);
  assert.equal(await page.getByRole('article').count(), companies.length);
  await hasNothingOf(page, other);
}

/** Nothing in the page, its fields, its address or what it stores is of this person. */
async function hasNothingOf(page, person) {
  const everything = await page.evaluate(() => ({
    html: document.documentElement.outerHTML,
    fields: [...document.querySelectorAll('input, textarea, select')].map((field) => field.value),
    title: document.title,
    address: window.location.href,
    session: { ...sessionStorage },
    local: { ...localStorage },
  }));
  for (const [place, value] of Object.entries(everything)) {
    const text = JSON.stringify(value);
    for (const word of [...person.words, person.key]) {
      assert(!text.includes(word), `${word} of ${person.name} is in the page's ${place}`);
    }
  }
}

/** Live changes brought the first word, and nothing of this person. */
function heardNothingOf(person, heard, own) {
  assert(heard.some((message) => message.includes(own)), `no live change brought ${own}`);
  for (const word of person.words) {
    assert.deepEqual(heard.filter((message) => message.includes(word)), []);
  }
}

/** What a page shows of one person that it has stored is gone when it turns out to be another one's. */
async function shownBefore(open) {
  const page = await open('#/table', { stores: true });
  await signIn(page, ada);
  const row = (within, name) => within.getByRole('table').getByRole('link', { name });
  await row(page, 'Quokka Bank').waitFor();
  await stored(page);
  await answersKept(page, 'trestle-board', (count) => count > 0);
  await page.close();
  await page.context().setOffline(true);
  const again = await open('#/table', { beside: page, stores: true });
  await row(again, 'Quokka Bank').waitFor();
  await again.evaluate(() => (window.isThatOfAda = true));
  await again.context().setOffline(false);
  await signInDialog(again).getByLabel('API key or token').fill(grace.key);
  await signInDialog(again).getByRole('button', { name: 'Sign in' }).click();
  await again.waitForFunction(() => !window.isThatOfAda);
  await again.getByText('Signed in as grace').waitFor();
  await again.getByRole('link', { name: 'Table' }).click();
  await row(again, 'Narwhal Labs').waitFor();
  await hasNothingOf(again, ada);
  await again.close();
}

const run = async (open) => {
  const first = await listening(open);
  const second = await listening(open);
  await signIn(first.page, ada);
  await signIn(second.page, grace);

  await add(first.page, 'Quokka Bank');
  await add(second.page, 'Narwhal Labs');
  const { applications } = await send('{ applications { edges { node { id } } } }', {}, ada.key);
  assert.equal(applications.edges.length, 1);
  ada.words.push(applications.edges[0].node.id);

  // Changes of each kind. What a person's own browser hears last, comes after all that it might have heard of the other.
  const doomed = await addElsewhere(ada, 'Quokka Doomed');
  await card(first.page, 'Quokka Doomed').waitFor();
  await send(
    `mutation { deleteApplication(input: { id: "${doomed}" }) { deletedApplicationId userErrors { code } } }`,
    {},
    ada.key,
  );
  await card(first.page, 'Quokka Doomed').waitFor({ state: 'detached' });
  await addElsewhere(grace, 'Narwhal Press');
  const elsewhere = await addElsewhere(ada, 'Quokka Mail');
  await addElsewhere(grace, 'Narwhal Rail');
  await showsOnly(first.page, ['Quokka Bank', 'Quokka Mail'], grace);
  await showsOnly(second.page, ['Narwhal Labs', 'Narwhal Press', 'Narwhal Rail'], ada);
  heardNothingOf(grace, first.heard, 'Quokka Mail');
  heardNothingOf(ada, second.heard, 'Narwhal Rail');

  for (const { page } of [first, second]) {
    await page.reload();
    await isLive(page);
  }
  await showsOnly(first.page, ['Quokka Bank', 'Quokka Mail'], grace);
  await showsOnly(second.page, ['Narwhal Labs', 'Narwhal Press', 'Narwhal Rail'], ada);

  // A link to the other's application leads to nothing.
  await second.page.evaluate((hash) => (location.hash = hash), `#/applications/${elsewhere}`);
  await second.page.getByText('There is no application with this address.').waitFor();
  await second.page.keyboard.press('Escape');
  await second.page.close();

  // One browser after the other person: what was read, searched, opened and half typed is gone.
  const { page, heard } = first;
  await card(page, 'Quokka Mail').getByRole('link').click();
  const sheet = page.getByRole('dialog', { name: 'Quokka Mail, Engineer' });
  await sheet.getByRole('button', { name: /^Notes: / }).click();
  await sheet.getByRole('textbox', { name: 'Notes' }).fill('Quokka half a thought');
  await sheet.getByRole('button', { name: 'Back to the board' }).click();
  await sheet.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Add application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an application' });
  await dialog.getByLabel('Company').fill('Quokka half a name');
  await dialog.getByLabel('Company').press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('Quokka');
  await page.getByRole('status').filter({ hasText: '2 found' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();

  await signInDialog(page).waitFor();
  assert.equal(await page.getByRole('article').count(), 0);
  await hasNothingOf(page, ada);
  heard.length = 0;
  await signIn(page, grace);
  await addElsewhere(ada, 'Quokka Late');
  await addElsewhere(grace, 'Narwhal Late');
  await showsOnly(page, ['Narwhal Labs', 'Narwhal Press', 'Narwhal Rail', 'Narwhal Late'], ada);
  heardNothingOf(ada, heard, 'Narwhal Late');
  await page.getByRole('link', { name: 'Add application' }).click();
  assert.equal(await dialog.getByLabel('Company').inputValue(), '');
  await hasNothingOf(page, ada);
  await dialog.getByLabel('Company').press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  // Another person may sign in where a credential was refused in the middle of the work.
  await page.route('**/graphql', async (route) => {
    const errors = [{ message: 'refused', extensions: { code: 'UNAUTHENTICATED' } }];
    const contentType = 'application/graphql-response+json';
    await route.fulfill({ status: 401, headers: MARK, contentType, body: JSON.stringify({ errors }) });
  });
  // Not by a click: the counts are read once more after a change, and their refusal opens the dialog, too.
  await page.evaluate(() => (location.hash = '#/table'));
  await signInDialog(page).getByText('The server refuses').waitFor();
  await page.unroute('**/graphql');
  heard.length = 0;
  await signIn(page, ada);
  await page.getByRole('link', { name: 'Board', exact: true }).click();
  await addElsewhere(grace, 'Narwhal Later');
  await addElsewhere(ada, 'Quokka Later');
  await showsOnly(page, ['Quokka Bank', 'Quokka Mail', 'Quokka Late', 'Quokka Later'], grace);
  heardNothingOf(grace, heard, 'Quokka Later');
  await shownBefore(open);
};

// Chromium reports each request that was refused.
await withBoard(run, { expected: /status of 401 |net::ERR_|WebSocket|Failed to (?:fetch|load)/u });
