// Interviews and next steps: noted on an application's page, shown on its card, in the week ahead where the person is, and in
// their calendar.

import assert from 'node:assert/strict';
import { card, create, saved, send, withBoard } from './harness.mjs';

const ZONE = 'America/Los_Angeles';
const dateIn = (time) => new Intl.DateTimeFormat('sv', { timeZone: ZONE }).format(time);
const DAY_MS = 86_400_000;
const today = dateIn(new Date());
const tomorrow = dateIn(new Date(Date.now() + DAY_MS));
const yesterday = dateIn(new Date(Date.now() - DAY_MS));

const id = await create({ companyName: 'Visa', status: 'INTERVIEWING' });
await create({ companyName: 'Late', status: 'APPLIED', nextAction: 'Ask again', nextActionDate: yesterday });

await withBoard(async (open) => {
  const page = await open(`#/applications/${id}`, { timezoneId: ZONE });
  const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
  await sheet.getByRole('button', { name: /^Next step: / }).click();
  await sheet.getByRole('textbox', { name: 'Next step' }).fill('Call Kim');
  await page.keyboard.press('Enter');
  await sheet.getByRole('button', { name: 'Next step: Call Kim' }).waitFor();
  await sheet.getByRole('button', { name: /^Next step on: / }).click();
  await sheet.getByLabel('Next step on', { exact: true }).fill(today);
  await page.keyboard.press('Enter');
  await sheet.getByRole('combobox', { name: 'New stage' }).fill('Onsite');
  await page.keyboard.press('Enter');
  await sheet.getByRole('button', { name: /^Onsite takes place at: / }).click();
  await sheet.getByLabel('Onsite takes place at').fill(`${tomorrow}T22:30`);
  await saved(page, 'EditStage', () => page.keyboard.press('Enter'));
  await sheet.getByRole('button', { name: /^Onsite takes place at: .*10:30/u }).waitFor();
  const { application } = await send(`{ application(id: "${id}") { nextAction nextActionDate interviewStages { scheduledAt } } }`);
  assert.equal(application.nextAction, 'Call Kim');
  assert.equal(application.nextActionDate, today);
  const [{ scheduledAt }] = application.interviewStages;
  assert.match(scheduledAt, /-0[78]:00$/u);
  assert.equal(dateIn(new Date(scheduledAt)), tomorrow);
  await page.keyboard.press('Escape');

  // The card has one line of what matters now: what is due first.
  await card(page, 'Visa').getByText(/^Call Kim, today$/u).waitFor();
  const week = page.getByRole('region', { name: 'This week' });
  for (const name of [/^yesterday ?Late ?Ask again$/u, /^today ?Visa ?Call Kim$/u, /^tomorrow, 10:30.PM ?Visa ?Onsite$/u]) {
    await week.getByRole('link', { name }).waitFor();
  }

  // A calendar shows the same, from the server: how long an interview takes, too.
  await page.evaluate((hash) => (location.hash = hash), `#/applications/${id}`);
  await sheet.getByRole('button', { name: 'How long Onsite takes: for 1 hour' }).click();
  await sheet.getByRole('combobox', { name: 'How long Onsite takes' }).selectOption('45 min');
  await sheet.getByRole('button', { name: 'How long Onsite takes: for 45 min' }).waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await week.getByRole('link', { name: 'In your calendar' }).click();
  await page.getByRole('region', { name: 'In your calendar' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Make an address' }).click();
  const address = await page.getByLabel('Address for calendars').inputValue();
  const calendar = await (await fetch(new URL(new URL(address).pathname, page.url()))).text();
  assert.match(calendar, new RegExp(`DTSTART;VALUE=DATE:${today.replaceAll('-', '')}\r\n`, 'u'));
  const day = tomorrow.replaceAll('-', '');
  assert.match(calendar, new RegExp(`DTSTART;TZID=[^:]+:${day}T223000\r\nDTEND;TZID=[^:]+:${day}T231500\r\n`, 'u'));
  await page.evaluate(() => (location.hash = '#/'));

  // An interview that has taken place is not what comes next.
  const past = new Date(Date.now() - 26 * 3_600_000).toISOString().replace(/\.\d+Z$/u, '+00:00');
  const { addInterviewStage } = await send(
    `mutation { addInterviewStage(input: { applicationId: "${id}", name: "Call", scheduledAt: "${past}" }) { userErrors { code message } } }`,
  );
  assert.deepEqual(addInterviewStage.userErrors, []);
  await card(page, 'Visa').getByText(/^Call was (yesterday|.*), .*$/u).and(page.locator('.late *')).waitFor();
  const { application: both } = await send(`{ application(id: "${id}") { interviewStages { id name } } }`);
  const call = both.interviewStages.find(({ name }) => name === 'Call');
  await send(`mutation { completeInterviewStage(input: { id: "${call.id}" }) { userErrors { code } } }`);
  await card(page, 'Visa').getByText(/^Call Kim, today$/u).waitFor();
  await send(`mutation { updateApplication(input: { id: "${id}", nextAction: null, nextActionDate: null }) { userErrors { code } } }`);
  await card(page, 'Visa').getByText(/^Next: Onsite, tomorrow, 10:30.PM$/u).and(page.locator('.soon *')).waitFor();

  // What is done is not ahead any more; another program's change shows as well.
  const { application: now } = await send(`{ application(id: "${id}") { interviewStages { id } } }`);
  await send(`mutation { completeInterviewStage(input: { id: "${now.interviewStages[0].id}" }) { userErrors { code } } }`);
  await week.getByText('Onsite').waitFor({ state: 'detached' });
});
