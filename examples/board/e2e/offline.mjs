// Without a network the board goes on: what is changed shows at once, and is sent when there is one.

import assert from 'node:assert/strict';
import { canDrag, card, column, create, drag, stored, withBoard } from './harness.mjs';

const visa = await create({ companyName: 'Visa', status: 'APPLIED' });

await withBoard(async (open) => {
  const page = await open();
  await card(column(page, 'Applied'), 'Visa').waitFor();
  await canDrag(page);
  await page.context().setOffline(true);
  await page.getByText(/^\s*You are offline\./u).waitFor();

  // Twice, so that the second change has to follow the first one.
  await drag(page, card(page, 'Visa'), column(page, 'Interviewing'));
  await card(column(page, 'Interviewing'), 'Visa').waitFor();
  await drag(page, card(page, 'Visa'), column(page, 'Offer'));
  await card(column(page, 'Offer'), 'Visa').waitFor();
  assert.equal((await stored(visa)).version, 1);
  await create({ companyName: 'Axon', status: 'APPLIED' });

  let answers = 0;
  const both = page.waitForResponse((response) => {
    if (response.request().postData()?.includes('"operationName":"MoveApplication"')) answers += 1;
    return answers === 2;
  });
  await page.context().setOffline(false);
  await page.getByText(/^\s*You are offline\./u).waitFor({ state: 'detached' });
  await card(column(page, 'Applied'), 'Axon').waitFor();
  await both;
  await card(column(page, 'Offer'), 'Visa').waitFor();
  assert.equal(await page.getByRole('alertdialog').count(), 0);
  const { status, version } = await stored(visa);
  assert.deepEqual({ status, version }, { status: 'GIVEN_OFFER', version: 3 });
});
