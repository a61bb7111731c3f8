// Two browsers stay in step: what one does, or another program, the other shows without asking.

import assert from 'node:assert/strict';
import { card, column, create, drag, saved, send, withBoard } from './harness.mjs';

const visa = await create({ companyName: 'Visa', status: 'APPLIED' });

await withBoard(async (open) => {
  const one = await open();
  const other = await open();
  for (const page of [one, other]) await card(column(page, 'Applied'), 'Visa').waitFor();
  await create({ companyName: 'Axon', status: 'APPLIED' });
  for (const page of [one, other]) await card(column(page, 'Applied'), 'Axon').waitFor();

  await other.evaluate((hash) => (location.hash = hash), `#/applications/${visa}`);
  const history = other.locator('.timeline');
  await history.getByText('Application created').waitFor();

  await saved(one, 'MoveApplication', () =>
    drag(one, card(one, 'Visa'), column(one, 'Interviewing')),
  );
  await history.getByRole('button', { name: 'Status Applied Interviewing' }).waitFor();
  await other.getByRole('button', { name: 'Status: Interviewing' }).waitFor();
  await other.keyboard.press('Escape');
  await card(column(other, 'Interviewing'), 'Visa').waitFor();
  for (const page of [one, other]) {
    await column(page, 'Interviewing').locator('.total', { hasText: /^1$/u }).waitFor();
    await column(page, 'Applied').locator('.total', { hasText: /^1$/u }).waitFor();
  }

  await send(
    `mutation { deleteApplication(input: { id: "${visa}" }) { deletedApplicationId userErrors { code } } }`,
  );
  for (const page of [one, other]) {
    await card(page, 'Visa').waitFor({ state: 'detached' });
    await column(page, 'Interviewing').locator('.total', { hasText: /^0$/u }).waitFor();
  }

  // A browser that was away reads what it missed.
  await one.context().setOffline(true);
  await one.getByText(/^\s*You are offline\./u).waitFor();
  await create({ companyName: 'Borel', status: 'APPLIED' });
  await card(column(other, 'Applied'), 'Borel').waitFor();
  await one.context().setOffline(false);
  await card(column(one, 'Applied'), 'Borel').waitFor();

  // What changes while the page begins to follow changes is not missed, however long that takes.
  const held = [];
  let asked = () => {};
  const begins = new Promise((resolve) => (asked = resolve));
  const late = await open('#/', {
    sockets: (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        if (held.done || JSON.parse(message).type !== 'subscribe') server.send(message);
        else {
          held.push(() => server.send(message));
          asked();
        }
      });
    },
  });
  await card(column(late, 'Applied'), 'Borel').waitFor();
  await begins;
  assert.equal(await late.locator('[data-connection="live"]').count(), 0);
  await create({ companyName: 'Cauchy', status: 'APPLIED' });
  held.done = true;
  for (const go of held) go();
  await card(column(late, 'Applied'), 'Cauchy').waitFor();
});
