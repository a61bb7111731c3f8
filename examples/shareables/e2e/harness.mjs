// What every script here shares: making lists and polls as a person does, and the rows that the page shows.

import { withPage } from 'trestle-web-kit/e2e/browser.mjs';

/** Calls `use` with a function that opens one more browser on the page. */
export function withShareables(use, options) {
  return withPage('/shareables/', (open) => use((place, more) => open(place, { viewport: { width: 1200, height: 900 }, ...more })), options);
}

/** Makes a checklist with these items. The page shows it then; answers the link for friends. */
export async function makeChecklist(page, { name, items, by }) {
  await page.getByRole('link', { name: /New checklist/u }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Items, one on each line').fill(items.join('\n'));
  return make(page, by);
}

/** The same for a poll, whose further choices are labels of boxes. */
export async function makePoll(page, { name, question, options, choices = [], voters = [], by }) {
  await page.getByRole('link', { name: /New poll/u }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Question').fill(question);
  await page.getByLabel('Options, one on each line').fill(options.join('\n'));
  for (const choice of choices) await page.getByLabel(choice).check();
  await page.getByLabel(/^Only these people vote/u).fill(voters.join('\n'));
  return make(page, by);
}

async function make(page, by) {
  await page.getByLabel(/^Your name/u).fill(by);
  await page.getByRole('button', { name: 'Make it' }).click();
  await page.getByRole('textbox', { name: 'Admin passcode' }).waitFor();
  const link = page.getByRole('textbox', { name: 'Link' });
  const text = (await link.count()) > 0 ? await link.inputValue() : null;
  const personal = await page.locator('.copy').evaluateAll((all) =>
    all.map((each) => [each.querySelector('label').textContent, each.querySelector('input').value]),
  );
  await page.getByRole('button', { name: 'Open it' }).click();
  return { link: text, ...Object.fromEntries(personal) };
}

/** Opens the link of a friend, who gives a name. */
export async function openAs(open, link, name, more) {
  const page = await open(link, more);
  await page.getByLabel(/^Your name/u).fill(name);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  return page;
}

/** The box of an item. */
export function box(page, name) {
  return page.getByRole('checkbox', { name });
}

/** The names of the items, in their order. */
export function items(page) {
  return page.locator('.item b').allTextContents();
}

/** Waits until the items are these, in this order. */
export async function shows(page, names) {
  await page.waitForFunction(
    (expected) => JSON.stringify([...document.querySelectorAll('.item b')].map((each) => each.textContent)) === expected,
    JSON.stringify(names),
  );
}

/** Adds an item. */
export async function add(page, name) {
  await page.getByLabel('New item').fill(name);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
}
