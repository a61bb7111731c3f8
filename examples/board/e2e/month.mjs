// The agenda's own page: a month with what is due, whom to ask again, and the address at which a calendar subscribes.
// Takes the binary: applications that wait for an answer need a past.

import assert from 'node:assert/strict';
import { holdBack } from 'trestle-web-kit/e2e/waiting.mjs';
import { create, endpoint, send, withBoard } from './harness.mjs';
import { record } from './records.mjs';
import { withRecords } from './served.mjs';

const daysAgo = (days) => new Date(Date.now() - days * 86_400_000);
const dayOf = (time) => time.toISOString().slice(0, 10);
const sent = (days) => [{ at: daysAgo(days), status: 'applied', dateApplied: dayOf(daysAgo(days)) }];

async function months(open) {
  const today = dayOf(new Date());
  const id = await create({ companyName: 'Visa', status: 'APPLIED', nextAction: 'Call Kim', nextActionDate: today });
  const page = await open('#/', { timezoneId: 'UTC' });
  await page.getByRole('region', { name: 'This week' }).getByRole('link', { name: 'Month' }).click();
  const month = page.locator('.month');
  const day = month.locator('.days > li[aria-current="date"]');
  await day.getByRole('link', { name: /Visa ?Call Kim/u }).waitFor();
  const name = await month.getByRole('heading').innerText();
  const loading = await holdBack(page, 'Agenda');
  await month.getByRole('button', { name: 'Month after' }).click();
  await month.getByRole('heading').filter({ hasNotText: name }).waitFor();
  // A month that is awaited is not an empty one.
  await month.getByText(/^Loading /u).waitFor();
  await loading.release();
  await month.getByText(/^Nothing is due in /u).waitFor();
  assert.equal(await month.getByText(/^Loading /u).count(), 0);
  await month.getByRole('button', { name: 'Today' }).click();
  // What opens from here goes back here, and a change of it shows.
  await day.getByRole('link', { name: /Visa/u }).click();
  const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
  await sheet.getByRole('button', { name: 'Next step: Call Kim' }).waitFor();
  await page.keyboard.press('Escape');
  await month.getByRole('heading', { name }).waitFor();
  await send('mutation($input: UpdateApplicationInput!) { updateApplication(input: $input) { userErrors { code } } }', {
    input: { id, nextAction: 'Write to Kim' },
  });
  await day.getByRole('link', { name: /Visa ?Write to Kim/u }).waitFor();
  return page;
}

async function waiting(page) {
  const stale = page.getByRole('region', { name: 'No answer' });
  await stale.getByRole('link', { name: /^Hooli/u }).waitFor();
  assert.deepEqual(await stale.getByRole('listitem').locator('b').allInnerTexts(), ['Hooli', 'Initech']);
  await stale.getByLabel('No answer for').selectOption('30 days');
  await stale.getByRole('link', { name: /^Initech/u }).waitFor({ state: 'detached' });
  await stale.getByRole('link', { name: /^Hooli ?Engineer ?Applied, 40 days$/u }).waitFor();
  await stale.getByLabel('No answer for').selectOption('90 days');
  await stale.getByText('No application has waited this long without a planned step.').waitFor();
}

async function subscribed(page) {
  const address = page.getByRole('region', { name: 'In your calendar' });
  await address.getByRole('button', { name: 'Make an address' }).click();
  const field = address.getByRole('textbox', { name: 'Address for calendars' });
  const first = await field.inputValue();
  const read = (url) => fetch(new URL(new URL(url).pathname, endpoint()));
  const calendar = await (await read(first)).text();
  assert.match(calendar, /SUMMARY:.*Write to Kim/u);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await address.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('The address is copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), first);

  // It is shown once. A new one takes the place of the old one.
  await page.reload();
  await address.getByText(/There has been an address since .*, with alarms/u).waitFor();
  assert.equal(await field.count(), 0);
  await address.getByRole('button', { name: 'Renew' }).click();
  const sure = page.getByRole('alertdialog', { name: 'Renew the address?' });
  await sure.getByRole('button', { name: 'Renew' }).click();
  await field.waitFor();
  const second = await field.inputValue();
  assert.notEqual(first, second);
  assert.deepEqual([(await read(first)).status, (await read(second)).status], [404, 200]);
  await address.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await address.getByRole('button', { name: 'Make an address' }).waitFor();
  assert.equal((await read(second)).status, 404);

  // Somebody else renewed it meanwhile: nothing of theirs is taken away.
  await address.getByRole('button', { name: 'Make an address' }).click();
  await field.waitFor();
  // The page has read of when it is.
  await address.getByRole('button', { name: 'Revoke' }).and(page.locator(':enabled')).waitFor();
  await send('mutation { renewCalendarAddress(input: {}) { userErrors { message } } }');
  await address.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await page.locator('.toast.bad').waitFor();
  assert.notEqual((await send('{ calendarAddress { createdAt } }')).calendarAddress, null);
}

/** The number of the week of a day as ISO 8601 has it. */
function isoWeek(date) {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000);
  return Math.floor((thursday - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / (7 * 86_400_000)) + 1;
}

/** A phone lists the days with something to do, by weeks. */
async function onPhone(open) {
  const page = await open('#/agenda', { timezoneId: 'UTC', locale: 'en-GB', viewport: { width: 390, height: 800 } });
  const days = page.locator('.month .days > li:visible');
  await days.nth(1).waitFor();
  const [week, day] = await days.allInnerTexts();
  assert.equal(week, `Week ${isoWeek(new Date())}`);
  assert.match(day, /Visa/u);
}

await withRecords(process.argv[2], [record('Hooli', sent(40)), record('Initech', sent(20)), record('Fresh', sent(3))], async () => {
  await withBoard(async (open) => {
    const page = await months(open);
    await onPhone(open);
    await waiting(page);
    await subscribed(page);
  });
});
