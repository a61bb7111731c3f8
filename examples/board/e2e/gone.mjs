// With the server gone a person sees it and loses no typed text; when it is back, what was changed
// arrives. Takes the binary.

import assert from 'node:assert/strict';
import { canDrag, card, column, create, drag, stored, storedAs, withBoard } from './harness.mjs';
import { withServer } from './served.mjs';

await withServer(process.argv[2], async ({ stop, start }) => {
  const id = await create({ companyName: 'Visa', status: 'APPLIED' });
  await withBoard(
    async (open) => {
      const page = await open(`#/applications/${id}`);
      const sheet = page.getByRole('dialog', { name: 'Visa, Engineer' });
      await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
      await sheet.getByRole('button', { name: /^Notes: / }).click();
      const notes = sheet.getByRole('textbox', { name: 'Notes' });
      await notes.fill('Half a thought');

      await canDrag(page);
      await stop();
      await page.getByText('The server does not answer.').waitFor();
      // A field that is left keeps its text, and a page that is read anew has it as well.
      await notes.fill('A whole thought');
      await page.keyboard.press('Control+Enter');
      await sheet.getByRole('button', { name: 'Notes: A whole thought' }).waitFor();
      await sheet.getByRole('combobox', { name: 'New stage' }).fill('Ons');
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'detached' });
      await drag(page, card(page, 'Visa'), column(page, 'Interviewing'));
      await card(column(page, 'Interviewing'), 'Visa').waitFor();

      await start();
      await page.getByText('The server does not answer.').waitFor({ state: 'detached' });
      await storedAs(id, ({ status }) => status === 'INTERVIEWING');
      assert.equal((await stored(id)).notes, 'A whole thought');
      await page.reload();
      await card(column(page, 'Interviewing'), 'Visa').getByRole('link').click();
      assert.equal(await sheet.getByRole('combobox', { name: 'New stage' }).inputValue(), 'Ons');
    },
    { expected: /ERR_CONNECTION_REFUSED|WebSocket|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE/u },
  );
});
