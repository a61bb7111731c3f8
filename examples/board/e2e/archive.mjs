// The archive shows what is in it, whatever the width and the statuses: nobody looks for it.

import { card, create, inSight, send, withBoard } from './harness.mjs';

const STATUSES = ['UNSUBMITTED', 'APPLIED', 'INTERVIEWING', 'GIVEN_OFFER', 'ACCEPTED_OFFER', 'DECLINED_OFFER', 'NO_OFFER', 'REJECTED'];

await create({ companyName: 'Active', status: 'APPLIED' });

await withBoard(async (open) => {
  for (const status of STATUSES) {
    const id = await create({ companyName: `Archived ${status}`, status });
    await send('mutation($id: ID!) { archiveApplication(input: { id: $id }) { userErrors { code } } }', { id });
    for (const width of [390, 1280, 1440, 2400]) {
      const page = await open('#/', { viewport: { width, height: 900 } });
      await card(page, 'Active').waitFor();
      await page.getByRole('button', { name: 'Show archive' }).click();
      await inSight(card(page, `Archived ${status}`));
      await page.context().close();
    }
    await send('mutation($id: ID!) { deleteApplication(input: { id: $id }) { userErrors { code } } }', { id });
  }
});
