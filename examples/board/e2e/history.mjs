// A long history comes by pages, each change once, and stays open when another change arrives.

import assert from 'node:assert/strict';
import { create, send, stored, withBoard } from './harness.mjs';

const CHANGES = 44;

const id = await create({ companyName: 'Visa', status: 'APPLIED' });
async function note(text) {
  await send(
    `mutation { updateApplication(input: { id: "${id}", notes: "${text}" }) { userErrors { code } } }`,
  );
}
for (let change = 1; change <= CHANGES; change += 1) await note(`Note ${change}`);

await withBoard(async (open) => {
  const page = await open(`#/applications/${id}`);
  const timeline = page.locator('.timeline');
  const entries = timeline.locator('ol > li');
  const older = timeline.getByRole('button', { name: 'Show older changes' });

  /** Waits until so many changes are shown. */
  async function shows(count) {
    await entries.nth(count - 1).waitFor();
    assert.equal(await entries.count(), count);
  }

  await older.waitFor();
  await shows(20);
  await older.click();
  await shows(40);
  await older.click();
  await shows(CHANGES + 1);
  await older.waitFor({ state: 'detached' });
  await entries.last().getByText('Application created').waitFor();
  const notes = await entries.locator('ins').allInnerTexts();
  assert.deepEqual(notes, Array.from({ length: CHANGES }, (_, index) => `Note ${CHANGES - index}`));

  await note('From elsewhere');
  await timeline.getByText('From elsewhere').waitFor();
  await shows(CHANGES + 2);
  await entries.last().getByText('Application created').waitFor();

  // As old as it is, it can be gone back to.
  await timeline.getByRole('button', { name: 'Restore version 2', exact: true }).click();
  await page.getByRole('button', { name: 'Notes: Note 1', exact: true }).waitFor();
  await shows(CHANGES + 3);
  assert.equal((await stored(id)).notes, 'Note 1');
});
