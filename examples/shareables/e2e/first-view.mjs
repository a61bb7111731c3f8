// What a first view loads: the first page, and a list that a friend opens by its link.

import { endpoint } from 'trestle-web-kit/e2e/browser.mjs';
import { weigh } from 'trestle-web-kit/e2e/weight.mjs';
import { makeChecklist, makePoll, shows, withShareables } from './harness.mjs';

await withShareables(async (open) => {
  const base = new URL('/shareables/', endpoint()).href;
  await weigh(open, base, (page) => page.getByRole('link', { name: /New checklist/u }).waitFor());
  const maker = await open();
  const items = Array.from({ length: 40 }, (_, at) => `Thing ${at}`);
  const list = await makeChecklist(maker, { name: 'Packing list', items, by: 'Ann' });
  const enter = async (page) => {
    await page.getByLabel(/^Your name/u).fill('Bob');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
  };
  await weigh(open, list.link, async (page) => {
    await enter(page);
    await shows(page, items);
  });
  await maker.goto(`${base}#/`);
  const poll = await makePoll(maker, { name: 'Trip', question: 'Where to?', options: ['Lake', 'Sea'], by: 'Ann' });
  await weigh(open, poll.link, async (page) => {
    await enter(page);
    await page.getByRole('button', { name: 'Vote' }).waitFor();
  });
});
