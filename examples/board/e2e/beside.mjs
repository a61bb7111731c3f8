// Contacts, files, tags and the kept posting of an application: added, changed, removed, put to the person where two changed the
// same, and sent later when there is no network.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { stores as storesIn } from 'trestle-web-kit/e2e/queue.mjs';
import { asksBeforeLeaving, sends } from 'trestle-web-kit/e2e/waiting.mjs';
import { create, saved, send, stored, withBoard } from './harness.mjs';

const id = await create({ companyName: 'Visa', status: 'APPLIED' });

/** Where the server takes files and gives them. */
const FILES = /\/applications\/files\?/u;

async function contacts() {
  const { application } = await send(
    'query($id: ID!) { application(id: $id) { version contacts { contactId name role email link lastContact } } }',
    { id },
  );
  return application.contacts;
}

async function elsewhere(contactId, input) {
  const { updateContact } = await send(
    'mutation($input: UpdateContactInput!) { updateContact(input: $input) { userErrors { message } } }',
    { input: { applicationId: id, contactId, ...input } },
  );
  assert.deepEqual(updateContact.userErrors, []);
}

async function fields(page, sheet) {
  await sheet.getByRole('button', { name: /^Tags: / }).click();
  await sheet.getByRole('textbox', { name: 'Tags' }).fill('rust, first choice; rust');
  await saved(page, 'EditApplication', () => page.keyboard.press('Enter'));
  await sheet.locator('.in-place .tag').getByText('first choice').waitFor();
  await sheet.getByRole('button', { name: /^Tags: / }).click();
  await sheet.getByRole('textbox', { name: 'Tags' }).fill('x'.repeat(51));
  await page.keyboard.press('Enter');
  await sheet.getByText('is longer than the 50 letters of a tag').waitFor();
  await page.keyboard.press('Escape');
  await sheet.getByRole('button', { name: 'Location: Add' }).click();
  await sheet.getByRole('textbox', { name: 'Location' }).fill('Zürich');
  await saved(page, 'EditApplication', () => page.keyboard.press('Enter'));
  await sheet.getByRole('button', { name: 'Remote: Add' }).click();
  await sheet.getByRole('combobox', { name: 'Remote' }).selectOption('On site');
  await sheet.getByRole('button', { name: 'Remote: On site' }).waitFor();
  // An amount brings what it is in and what it is for; another field changes that.
  await sheet.getByRole('button', { name: 'Salary from: Add' }).click();
  await sheet.getByRole('textbox', { name: 'Salary from' }).fill('€60 – €75 an hour');
  await saved(page, 'EditApplication', () => page.keyboard.press('Enter'));
  await sheet.getByRole('button', { name: 'Salary to: €75' }).waitFor();
  await sheet.getByRole('button', { name: 'Salary for: an hour' }).waitFor();
  await sheet.getByRole('button', { name: 'Currency: EUR' }).click();
  await sheet.getByRole('combobox', { name: 'Currency' }).selectOption('CHF');
  await sheet.getByRole('button', { name: 'Salary to: CHF 75' }).waitFor();
  // What the posting said is folded, and kept.
  const fold = sheet.getByRole('button', { name: /^Text of the posting/u, expanded: false });
  await fold.click();
  await sheet.getByRole('button', { name: 'Text of the posting: Paste it here' }).click();
  await sheet.getByRole('textbox', { name: 'Text of the posting' }).fill('We look for\nan engineer.');
  await saved(page, 'EditApplication', () => page.keyboard.press('Control+Enter'));
  const { tags, location, isRemote, salaryMin, salaryMax, salaryCurrency, salaryPeriod, postingText } = await stored(id);
  assert.deepEqual(
    { tags, location, isRemote, salaryMin, salaryMax, salaryCurrency, salaryPeriod, postingText },
    {
      tags: ['rust', 'first choice'], location: 'Zürich', isRemote: false, salaryMin: 60, salaryMax: 75, salaryCurrency: 'CHF',
      salaryPeriod: 'HOUR', postingText: 'We look for\nan engineer.',
    },
  );
}

async function people(page, sheet) {
  const field = sheet.getByRole('textbox', { name: 'New contact' });
  await field.fill('Kim Lee <kim@visa.example>');
  await saved(page, 'AddContact', () => page.keyboard.press('Enter'));
  await sheet.getByRole('link', { name: 'Write to Kim Lee' }).waitFor();
  // What is no address is not taken for a part of the name, and stays in the field.
  await field.fill('Lee <not an email>');
  await page.keyboard.press('Enter');
  const refused = '“not an email” is not an email address: write Lee <kim@example.com>, or Lee alone.';
  await sheet.getByRole('alert').filter({ hasText: refused }).waitFor();
  assert.equal(await field.inputValue(), 'Lee <not an email>');
  await field.fill('Robin');
  await saved(page, 'AddContact', () => page.keyboard.press('Enter'));
  await sheet.getByRole('button', { name: 'Role of Robin: Add' }).click();
  await sheet.getByRole('textbox', { name: 'Role of Robin' }).fill('Recruiter');
  await saved(page, 'UpdateContact', () => page.keyboard.press('Enter'));
  await sheet.getByRole('button', { name: 'Role of Robin: Recruiter' }).waitFor();
  // What is no address stays in its field.
  await sheet.getByRole('button', { name: 'Email of Robin: Add' }).click();
  await sheet.getByRole('textbox', { name: 'Email of Robin' }).fill('robin at visa');
  await page.keyboard.press('Enter');
  await sheet.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');

  // Two people changed the same: both values are shown.
  const [, robin] = await contacts();
  await elsewhere(robin.contactId, { role: 'Boss' });
  await sheet.getByRole('button', { name: 'Role of Robin: Recruiter' }).click();
  await sheet.getByRole('textbox', { name: 'Role of Robin' }).fill('Head of data');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('alertdialog', { name: 'Changed somewhere else' });
  await dialog.getByRole('row', { name: 'Role Head of data Boss' }).waitFor();
  assert.equal((await contacts())[1].role, 'Boss');
  await saved(page, 'UpdateContact', () => dialog.getByRole('button', { name: 'Save mine' }).click());
  await sheet.getByRole('button', { name: 'Role of Robin: Head of data' }).waitFor();
  // Another field is no reason to ask.
  await elsewhere(robin.contactId, { email: 'robin@visa.example' });
  await sheet.getByRole('button', { name: 'Role of Robin: Head of data' }).click();
  await sheet.getByRole('textbox', { name: 'Role of Robin' }).fill('Head');
  await saved(page, 'UpdateContact', () => page.keyboard.press('Enter'));
  await sheet.getByRole('button', { name: 'Email of Robin: robin@visa.example' }).waitFor();

  // Removed, and had back with all that it had.
  await sheet.getByRole('button', { name: 'Remove Robin' }).click();
  await sheet.getByRole('button', { name: 'Role of Robin: Head' }).waitFor({ state: 'detached' });
  await sheet.locator('.toast').filter({ hasText: 'Robin removed' }).getByRole('button', { name: 'Undo' }).click();
  await sheet.getByRole('button', { name: 'Role of Robin: Head' }).waitFor();
  assert.deepEqual(
    (await contacts()).map(({ name, role, email }) => [name, role, email]),
    [['Kim Lee', null, 'kim@visa.example'], ['Robin', 'Head', 'robin@visa.example']],
  );
}

async function papers(page, sheet) {
  const input = sheet.getByLabel('Add a file', { exact: true });
  await input.setInputFiles({ name: 'shopping.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') });
  await sheet.getByText('shopping.exe is none of PDF, Word').waitFor();
  const bytes = Buffer.from(`%PDF-1.4 ${'x'.repeat(3000)}`);
  // A file that is being sent would be lost with the page.
  let pass = () => {};
  const sending = new Promise((resolve) => {
    void page.route(FILES, async (route) => {
      await new Promise((goOn) => {
        pass = goOn;
        resolve();
      });
      await route.continue();
    });
  });
  await input.setInputFiles({ name: 'My CV.pdf', mimeType: 'application/pdf', buffer: bytes });
  await sending;
  assert(await asksBeforeLeaving(page), 'the page can be left while a file is sent');
  pass();
  const file = sheet.getByRole('listitem').filter({ hasText: 'My CV.pdf' });
  await file.getByText(/^Resume, 3 kB, /u).waitFor();
  await page.unroute(FILES);
  await sheet.getByLabel('What the next file is').selectOption('Offer');
  await input.setInputFiles({ name: 'notes.md', mimeType: '', buffer: Buffer.from('# Offer') });
  await sheet.getByText(/^Offer, /u).waitFor();
  const saving = page.waitForEvent('download');
  await file.getByRole('link', { name: 'My CV.pdf' }).click();
  assert.deepEqual(await readFile(await (await saving).path()), bytes);
  // A file that is removed is gone when nobody takes that back.
  await file.getByRole('button', { name: 'Remove My CV.pdf' }).click();
  await file.waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Remove notes.md');
  const removed = sheet.locator('.toast').filter({ hasText: 'My CV.pdf removed' });
  await saved(page, 'RemoveFile', () => removed.getByRole('button', { name: 'Dismiss' }).click());
  const { application } = await send('query($id: ID!) { application(id: $id) { files { name kind } } }', { id });
  assert.deepEqual(application.files, [{ name: 'notes.md', kind: 'OFFER' }]);
}

/** A page that was opened with another name of the server sends and reads files by that name. */
async function byAnotherName(open, page) {
  const other = await open(page.url().replace('127.0.0.1', 'localhost'));
  assert.equal(new URL(other.url()).hostname, 'localhost');
  const sheet = other.getByRole('dialog', { name: 'Visa, Engineer' });
  const bytes = Buffer.from('Dear Visa');
  await sheet.getByLabel('Add a file', { exact: true }).setInputFiles({ name: 'Letter.txt', mimeType: 'text/plain', buffer: bytes });
  const saving = other.waitForEvent('download');
  await sheet.getByRole('link', { name: 'Letter.txt' }).click();
  assert.deepEqual(await readFile(await (await saving).path()), bytes);
  await other.context().close();
}

/** Contacts and files that were not loaded before the network was lost are not just missing. */
async function unread(open) {
  const page = await open('about:blank');
  await page.route('**/graphql', (route) => (sends(route.request(), 'Beside') ? undefined : route.fallback()));
  await page.goto(`${page.board}#/applications/${id}`);
  const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
  await sheet.getByRole('button', { name: /^Company: Visa/u }).waitFor();
  await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
  await page.context().setOffline(true);
  await sheet.getByText('Contacts and files are not loaded: you are offline.').waitFor();
  await page.context().close();
}

await withBoard(async (open) => {
  const page = await open(`#/applications/${id}`);
  const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
  await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
  await fields(page, sheet);
  await people(page, sheet);
  await papers(page, sheet);
  assert(!(await asksBeforeLeaving(page)), 'the page asks although nothing would be lost');
  await byAnotherName(open, page);
  await unread(open);

  // Without a network: what is added shows at once, outlives its page, and is sent; a version is not lost by it.
  await page.context().setOffline(true);
  await page.getByText(/^\s*You are offline\./u).waitFor();
  assert(await sheet.getByLabel('Add a file', { exact: true }).isDisabled());
  await sheet.getByRole('textbox', { name: 'New contact' }).fill('Sasha');
  await page.keyboard.press('Enter');
  await sheet.getByRole('button', { name: 'Contact: Sasha' }).waitFor();
  await sheet.getByRole('button', { name: 'Role of Robin: Head' }).click();
  await sheet.getByRole('textbox', { name: 'Role of Robin' }).fill('Founder');
  await page.keyboard.press('Enter');
  await sheet.getByRole('button', { name: 'Location: Zürich' }).click();
  await sheet.getByRole('textbox', { name: 'Location' }).fill('Bern');
  await page.keyboard.press('Enter');
  await storesIn(page, 'trestle-board', 3);
  const [, robin] = await contacts();
  await elsewhere(robin.contactId, { role: 'Owner' });
  const context = page.context();
  const empty = await context.newPage();
  await page.close();
  await context.setOffline(false);
  const next = await open(`#/applications/${id}`, { beside: empty });
  const asked = next.getByRole('alertdialog', { name: 'Changed somewhere else' });
  await asked.getByRole('row', { name: 'Role Founder Owner' }).waitFor();
  await asked.getByRole('button', { name: 'Keep theirs' }).click();
  const again = next.getByRole('dialog', { name: 'Visa, Engineer' });
  await again.getByRole('button', { name: 'Contact: Sasha' }).waitFor();
  await again.getByRole('button', { name: 'Role of Robin: Owner' }).waitFor();
  await again.getByRole('button', { name: 'Location: Bern' }).waitFor();
  await storesIn(next, 'trestle-board', 0);
  assert.deepEqual((await contacts()).map(({ name, role }) => [name, role]), [['Kim Lee', null], ['Robin', 'Owner'], ['Sasha', null]]);
});
