// Two browsers, one card: who comes second is put back, hears what happened, and chooses.

import assert from 'node:assert/strict';
import { card, column, create, drag, saved, send, stored, withBoard } from './harness.mjs';

const id = await create({ companyName: 'Visa', status: 'APPLIED' });

await withBoard(async (open) => {
  const one = await open();
  const other = await open('#/', { deaf: true });
  await card(column(one, 'Applied'), 'Visa').waitFor();
  await card(column(other, 'Applied'), 'Visa').waitFor();

  await saved(one, 'MoveApplication', () =>
    drag(one, card(one, 'Visa'), column(one, 'Interviewing')),
  );
  await card(column(one, 'Interviewing'), 'Visa').waitFor();

  await drag(other, card(other, 'Visa'), column(other, 'Rejected'));
  const dialog = other.getByRole('alertdialog', { name: 'Changed somewhere else' });
  await dialog.getByText('Status changed from applied to interviewing').waitFor();
  assert.equal((await stored(id)).status, 'INTERVIEWING');
  await dialog.getByRole('button', { name: 'Keep the newer version' }).click();
  await card(column(other, 'Interviewing'), 'Visa').waitFor();
  assert.equal((await stored(id)).version, 2);

  await send(
    `mutation { updateApplication(input: { id: "${id}", notes: "From elsewhere" }) { userErrors { code } } }`,
  );
  await drag(other, card(other, 'Visa'), column(other, 'Rejected'));
  const again = dialog.getByRole('button', { name: 'Do it all the same' });
  // The first answer, which is the conflict, has come once the choice is there.
  await again.waitFor();
  await saved(other, 'MoveApplication', () => again.click());
  await card(column(other, 'Rejected'), 'Visa').waitFor();
  const { status, notes } = await stored(id);
  assert.deepEqual({ status, notes }, { status: 'REJECTED', notes: 'From elsewhere' });
});
