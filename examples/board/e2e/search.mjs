// A search shows how many applications it found, folds the columns without any, and brings the first one into sight.

import assert from 'node:assert/strict';
import { card, column, create, inSight, withBoard } from './harness.mjs';

for (let index = 0; index < 40; index += 1) await create({ companyName: `Filler ${index}`, status: 'APPLIED' });
const ids = [];
for (const status of ['NO_OFFER', 'REJECTED', 'REJECTED']) ids.push(await create({ companyName: 'Zürich Re', status }));

/** What a card shows, and a word of it. */
const SHOWN = [
  [{ companyName: 'Quokka' }, 'quokka'],
  [{ positionTitle: 'Xylophonist' }, 'xylo'],
  [{ location: 'Málaga' }, 'malaga'],
  [{ tags: ['Kotlin'] }, 'kotlin'],
  [{ nextAction: 'Ping Yolanda' }, 'yolanda'],
];
for (const [input] of SHOWN) await create({ companyName: 'Shown', status: 'APPLIED', ...input });

await withBoard(async (open) => {
  // Whatever a card shows is found on the cards.
  const shown = await open('#/');
  for (const [input, word] of SHOWN) {
    await shown.getByRole('searchbox').fill(word);
    await shown.waitForFunction((text) => location.hash.endsWith(`text=${text}`), word);
    await shown.getByRole('status').filter({ hasText: /^1 found/u }).waitFor();
    await card(column(shown, 'Applied'), input.companyName ?? 'Shown').waitFor();
    assert.equal(await shown.getByRole('region', { name: /other fields/u }).count(), 0);
  }
  await shown.context().close();

  for (const width of [1440, 390]) {
    const page = await open('#/', { viewport: { width, height: 900 } });
    await card(page, 'Shown').first().waitFor();
    await page.getByRole('searchbox').fill('re');
    const found = page.getByRole('status').filter({ hasText: 'found' });
    await found.filter({ hasText: '3 found. First: Zürich Re, Engineer, in No offer' }).waitFor();
    await inSight(card(column(page, 'No offer'), 'Zürich Re'));
    assert.equal(await page.locator('.column.folded').count(), 6);
    if (width === 1440) {
      for (const box of await page.getByRole('article').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right))) {
        assert(box <= width, `a hit ends at ${box}`);
      }
    }
    await page.getByRole('searchbox').fill('nobody has this name');
    await found.filter({ hasText: 'Nothing found' }).waitFor();
    await page.getByRole('searchbox').fill('Filler');
    await found.filter({ hasText: /^(30\+|40) found/u }).waitFor();
    await page.context().close();
  }

  // Who is renamed leaves the search, here and elsewhere; whose notes have the words stays.
  const [page, other] = [await open('#/?text=zurich'), await open('#/?text=zurich')];
  const found = (within) => within.getByRole('status').filter({ hasText: 'found' });
  for (const one of [page, other]) await found(one).filter({ hasText: /^3 found/u }).waitFor();
  const rename = async (name, field, text) => {
    await page.evaluate((id) => (location.hash = `#/applications/${id}?text=zurich`), ids.at(name));
    const sheet = page.getByRole('dialog', { name: /, Engineer$/u });
    await sheet.getByRole('button', { name: new RegExp(`^${field}: `, 'u') }).click();
    await sheet.getByRole('textbox', { name: field }).fill(text);
    await page.keyboard.press('Control+Enter');
    await sheet.getByRole('button', { name: `${field}: ${text}` }).waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
  };
  await rename(-1, 'Company', 'Basel Re');
  for (const one of [page, other]) await found(one).filter({ hasText: /^2 found/u }).waitFor();
  await rename(-2, 'Notes', 'An office in Zürich too');
  await rename(-2, 'Company', 'Genf Re');
  for (const one of [page, other]) {
    await card(column(one, 'Rejected'), 'Genf Re').waitFor();
    await found(one).filter({ hasText: /^2 found/u }).waitFor();
  }
});
