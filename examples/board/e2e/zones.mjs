// West and east of UTC a person gets their own dates, in the way of their region and in one language.

import assert from 'node:assert/strict';
import { card, column, create, drag, saved, send, withBoard } from './harness.mjs';

const dateIn = (timeZone) => new Intl.DateTimeFormat('sv', { timeZone }).format(new Date());

await withBoard(async (open) => {
  for (const [timezoneId, locale, company] of [
    ['Pacific/Auckland', 'en-NZ', 'Kea'],
    ['America/Los_Angeles', 'en-US', 'Condor'],
    ['Pacific/Kiritimati', 'de-DE', 'Kiebitz'],
  ]) {
    // The page speaks English, and writes dates in it: in the way of the region, if that speaks another language.
    const own = locale.startsWith('en') ? locale : `en-${locale.slice(-2)}`;
    const id = await create({ companyName: company, status: 'UNSUBMITTED', salaryMin: 120_000 });
    const page = await open('#/', { timezoneId, locale });
    await card(page, company).waitFor();
    const before = dateIn(timezoneId);
    await saved(page, 'MoveApplication', () => drag(page, card(page, company), column(page, 'Applied')));
    const { application } = await send(`{ application(id: "${id}") { dateApplied status createdAt } }`);
    // The day can change meanwhile.
    assert([before, dateIn(timezoneId)].includes(application.dateApplied), `${timezoneId}: ${application.dateApplied}`);
    const day = new Intl.DateTimeFormat(own, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(application.dateApplied));
    await card(column(page, 'Applied'), company).getByText(day, { exact: true }).waitFor();
    await page.evaluate((hash) => (location.hash = hash), `#/applications/${id}`);
    const added = new Intl.DateTimeFormat(own, { dateStyle: 'medium', timeStyle: 'short', timeZone: timezoneId }).format(new Date(application.createdAt));
    await page.getByText(`Added ${added}`).waitFor();
    await page.context().close();
  }
});
