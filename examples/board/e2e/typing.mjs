// What is typed: Enter that ends a composition sends nothing in any field, an amount in another unit than the one beside it is refused
// with what to write, and a table that is saved is one that Excel reads.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { card, create, send, stored, storedAs, withBoard } from './harness.mjs';

const id = await create({ companyName: 'Zürich Re', status: 'APPLIED' });
await send(`mutation { addInterviewStage(input: { applicationId: "${id}", name: "Onsite" }) { userErrors { code } } }`);

const PERIODS = { YEAR: 'a year', MONTH: 'a month', DAY: 'a day', HOUR: 'an hour' };

const ENDS = [['salaryMin', 'salaryMax', 'Salary from'], ['salaryMax', 'salaryMin', 'Salary to']];

/** Every unit that is stored, every one that is written, beside another amount and alone, at one end and the other in turn. */
async function pay(page) {
  let turn = 0;
  for (const was of [null, ...Object.keys(PERIODS)]) {
    for (const written of [null, ...Object.keys(PERIODS)]) {
      turn += 1;
      for (const [field, other, label] of [ENDS[turn % 2]]) {
        for (const beside of [null, field === 'salaryMin' ? 110_000 : 40]) {
          const one = await create({ companyName: 'Paid', ...(beside && { [other]: beside }), ...(was && { salaryPeriod: was }) });
          await page.evaluate((hash) => (location.hash = hash), `#/applications/${one}`);
          const sheet = page.getByRole('dialog', { name: 'Paid, Engineer' });
          await sheet.getByRole('button', { name: new RegExp(`^${label}: `, 'u') }).click();
          const text = `45${written ? ` ${PERIODS[written]}` : ''}`;
          await sheet.getByRole('textbox', { name: label }).fill(text);
          await page.keyboard.press('Enter');
          const isMixed = beside !== null && written !== null && written !== was;
          if (isMixed) {
            await sheet.getByRole('alert').filter({ hasText: /change|write both/u }).waitFor();
            const { salaryMin, salaryMax, salaryPeriod } = await stored(one);
            assert.deepEqual({ [field]: null, [other]: beside, salaryPeriod: was }, { salaryMin, salaryMax, salaryPeriod }, text);
            if (was === null) {
              // What it says to write is taken.
              const said = await sheet.getByRole('alert').innerText();
              await sheet.getByRole('textbox', { name: label }).fill(/such as (.*?), or/u.exec(said)[1]);
              await page.keyboard.press('Enter');
              await storedAs(one, (now) => now.salaryMin === 45 && now.salaryMax === 45 && now.salaryPeriod === written);
            } else await page.keyboard.press('Escape');
          } else {
            await storedAs(one, (now) => now[field] === 45 && now[other] === beside && now.salaryPeriod === (written ?? was));
          }
          await page.evaluate(() => (location.hash = '#/'));
          await sheet.waitFor({ state: 'detached' });
        }
      }
    }
  }
}

/** Presses Enter and Escape as an input method does that composes a text. */
async function composed(field) {
  for (const key of ['Enter', 'Escape']) {
    for (const how of [{ isComposing: true }, { keyCode: 229 }]) {
      await field.evaluate((element, init) => {
        element.focus();
        element.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }));
      }, { key, ...how });
    }
  }
}

async function composing(page) {
  let sent = 0;
  page.on('request', (request) => {
    if (/"operationName":"(?:Edit|Add|Quick|Remove|Update)/u.test(request.postData() ?? '')) sent += 1;
  });
  await page.evaluate((hash) => (location.hash = hash), `#/applications/${id}`);
  const sheet = page.getByRole('dialog', { name: 'Zürich Re, Engineer' });
  await sheet.getByRole('button', { name: /^Company: / }).waitFor();
  const names = await sheet.locator('button.in-place').evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent.split(': ')[0]));
  assert(names.length > 15, names.join());
  for (const name of names) {
    // By keys, so that no choice shows what the browser draws over the page.
    await sheet.locator('button.in-place').filter({ hasText: new RegExp(`^${name}: `, 'u') }).first().press('Enter');
    const field = sheet.locator('.editor');
    await field.waitFor();
    const isText = await field.evaluate((element) => !(element instanceof HTMLSelectElement));
    if (isText && ['text', 'textarea', 'url'].includes(await field.evaluate((element) => element.type))) {
      await field.fill(name.startsWith('Salary') ? '45' : 'https://example.com/日本');
    }
    await composed(field);
    assert.equal(await field.count(), 1, `${name} is open`);
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  }
  const stage = sheet.getByRole('combobox', { name: 'New stage' });
  await stage.fill('面接');
  await composed(stage);
  assert.equal(await sheet.count(), 1);
  await page.evaluate(() => (location.hash = '#/add'));
  const dialog = page.getByRole('dialog', { name: 'Add an application' });
  await dialog.waitFor();
  for (const field of await dialog.getByRole('textbox').all()) {
    await field.fill('会社');
    await composed(field);
  }
  assert.equal(await dialog.count(), 1);
  assert.equal(sent, 0);
  await page.evaluate(() => (location.hash = '#/'));
}

async function saved(page) {
  await page.evaluate(() => (location.hash = '#/table'));
  await page.getByRole('link', { name: 'Zürich Re' }).waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: /CSV/u }).click();
  const bytes = await readFile(await (await saving).path());
  assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  assert.match(bytes.toString(), /Zürich Re/u);
}

await withBoard(async (open) => {
  const page = await open();
  await card(page, 'Zürich Re').waitFor();
  await composing(page);
  await saved(page);
  await page.evaluate(() => (location.hash = '#/'));
  await pay(page);
});
