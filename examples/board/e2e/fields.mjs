// A field of an application's page never loses what is stored, nor what was typed.

import assert from 'node:assert/strict';
import { create, saved, send, stored, withBoard } from './harness.mjs';

const id = await create({
  companyName: 'Visa',
  status: 'GIVEN_OFFER',
  salaryMin: 90000,
  offerDueDate: '2027-02-03',
  notes: 'Ask Kim',
});

async function elsewhere(notes) {
  await send(
    `mutation Elsewhere($input: UpdateApplicationInput!) { updateApplication(input: $input) { userErrors { code } } }`,
    { input: { id, notes } },
  );
}

async function unfinished(page, sheet) {
  // Half a date and half a number are not empty ones.
  await sheet.getByRole('button', { name: /^Answer offer by: / }).click();
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await sheet.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
  await sheet.getByRole('button', { name: 'Answer offer by: Feb 3, 2027' }).waitFor();
  await sheet.getByRole('button', { name: 'Salary from: $90,000' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('1e');
  await sheet.getByRole('textbox', { name: 'Salary from' }).blur();
  await sheet.getByRole('alert').waitFor();
  await sheet.getByRole('textbox', { name: 'Salary from' }).fill('1.5');
  await page.keyboard.press('Enter');
  await sheet.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
  assert.equal((await stored(id)).version, 1);
}

async function choices(page, sheet) {
  // Arrows pass from choice to choice; Enter takes one, and the focus is back.
  await sheet.getByRole('button', { name: 'Category: Add' }).focus();
  await page.keyboard.press('Enter');
  await sheet.getByRole('combobox', { name: 'Category' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  // It shows before it is saved, and makes a version that what follows does not count.
  await saved(page, 'EditApplication', () => page.keyboard.press('Enter'));
  const category = sheet.getByRole('button', { name: 'Category: Climate' });
  await category.waitFor();
  await page.waitForFunction((element) => element === document.activeElement, await category.elementHandle());
}

async function overtaken(page, sheet) {
  // A field that was only looked at takes nothing back.
  const notes = sheet.getByRole('textbox', { name: 'Notes' });
  const { version } = await stored(id);
  await sheet.getByRole('button', { name: 'Notes: Ask Kim' }).click();
  await elsewhere('Ask Robin');
  await sheet.locator('.timeline').getByText('Ask Robin').waitFor();
  await notes.blur();
  await sheet.getByRole('button', { name: 'Notes: Ask Robin' }).waitFor();
  assert.equal((await stored(id)).version, version + 1);

  // One that was changed says what it would replace.
  await sheet.getByRole('button', { name: 'Notes: Ask Robin' }).click();
  await notes.fill('Ask Lee');
  await elsewhere('Ask Sasha');
  await sheet.locator('.timeline').getByText('Ask Sasha').waitFor();
  await page.keyboard.press('Control+Enter');
  await sheet.getByText('Changed elsewhere to “Ask Sasha”').waitFor();
  assert.equal((await stored(id)).notes, 'Ask Sasha');
  await saved(page, 'EditApplication', () => page.keyboard.press('Control+Enter'));
  await sheet.getByRole('button', { name: 'Notes: Ask Lee' }).waitFor();
}

async function onItsWay(page, sheet) {
  // A text that is being saved can be edited further, and is not taken for somebody else's.
  let arrive;
  const arrived = new Promise((resolve) => (arrive = resolve));
  await page.route('**/graphql', (route) => arrived.then(() => route.continue()));
  const notes = sheet.getByRole('textbox', { name: 'Notes' });
  await sheet.getByRole('button', { name: 'Notes: Ask Lee' }).click();
  await notes.fill('Ask Lee and Kim');
  await page.keyboard.press('Control+Enter');
  await sheet.getByRole('button', { name: 'Notes: Ask Lee and Kim' }).click();
  assert.equal(await notes.inputValue(), 'Ask Lee and Kim');
  await notes.fill('Ask Lee');
  arrive();
  await sheet.locator('.timeline').getByText('Ask Lee and Kim').waitFor();
  await page.unroute('**/graphql');
  await saved(page, 'EditApplication', () => page.keyboard.press('Control+Enter'));
  await sheet.getByRole('button', { name: 'Notes: Ask Lee', exact: true }).waitFor();
  assert.equal((await stored(id)).notes, 'Ask Lee');
}

async function unanswered(page, sheet) {
  // A server that goes away takes no text with it.
  let goAway;
  const gone = new Promise((resolve) => (goAway = resolve));
  await page.route('**/graphql', (route) => gone.then(() => route.abort()));
  await sheet.getByRole('button', { name: 'Notes: Ask Lee' }).click();
  await sheet.getByRole('textbox', { name: 'Notes' }).fill('Long thought about');
  await page.keyboard.press('Control+Enter');
  await sheet.getByRole('button', { name: 'Notes: Long thought about' }).waitFor();
  goAway();
  await page.getByText('the server does not answer').first().waitFor();
  await page.getByText('1 change waits.').waitFor();
  await sheet.getByRole('button', { name: 'Notes: Long thought about' }).waitFor();
  await page.unroute('**/graphql');
  await sheet.locator('.timeline').getByText('Long thought about').waitFor();
  assert.equal((await stored(id)).notes, 'Long thought about');
}

await withBoard(
  async (open) => {
    const page = await open(`#/applications/${id}`, { currency: 'USD' });
    const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
    await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
    await unfinished(page, sheet);
    await choices(page, sheet);
    await overtaken(page, sheet);
    // An address is made whole.
    await sheet.getByRole('button', { name: 'Posting: Add' }).click();
    await sheet.getByRole('textbox', { name: 'Posting' }).fill('visa.example/jobs');
    await page.keyboard.press('Enter');
    await sheet.getByRole('link', { name: 'Open Posting' }).waitFor();
    await onItsWay(page, sheet);
    await unanswered(page, sheet);
  },
  { expected: /net::ERR_FAILED/u },
);
