// axe-core finds nothing on any page, dark or light, wide or narrow; and a keyboard suffices.

import assert from 'node:assert/strict';
import { examine } from 'trestle-web-kit/e2e/axe.mjs';
import { box, makeChecklist, makePoll, shows, withShareables } from './harness.mjs';

/** Looks at what is open, and that nothing is wider than the window. */
async function look(page, place) {
  await examine(page, place);
  const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert(width <= room, `${place} is ${width} wide`);
}

async function dialogOf(page, button, place) {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('dialog').waitFor();
  await look(page, place(button));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

await withShareables(async (open) => {
  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [{ width: 1280, height: 900 }, { width: 320, height: 800 }]) {
      const looks = { colorScheme, viewport, reducedMotion: 'reduce' };
      const page = await open('#/', looks);
      const place = (name) => `${name}, ${colorScheme}, ${viewport.width} wide`;
      await look(page, place('start'));
      for (const kind of ['checklist', 'poll']) {
        await page.evaluate((to) => (location.hash = `#/new/${to}`), kind);
        await page.getByRole('heading', { name: `New ${kind}` }).waitFor();
        await look(page, place(`a new ${kind}`));
      }
      await page.evaluate(() => (location.hash = '#/'));
      await makeChecklist(page, { name: 'Packing list', items: ['Tent', 'W'.repeat(200)], by: 'Ann' });
      await box(page, 'Tent').check();
      await page.getByText('1 of 2').waitFor();
      await look(page, place('a checklist'));
      await dialogOf(page, 'Share', place);
      await dialogOf(page, 'Manage', place);
      await page.getByRole('button', { name: 'Change Tent' }).click();
      await look(page, place('an item'));

      await page.evaluate(() => (location.hash = '#/'));
      const choices = ['“If need be” as an answer'];
      const poll = await makePoll(page, { name: 'Trip', question: 'Where to?', options: ['Lake', 'Sea'], choices, voters: ['Bob'], by: 'Ann' });
      await page.getByText('0 people have voted.').waitFor();
      await dialogOf(page, 'Manage', place);
      const friend = await open(poll.Bob, looks);
      await friend.getByRole('group', { name: 'Lake' }).getByLabel('Yes').check();
      await friend.getByRole('button', { name: 'Vote' }).click();
      await page.getByText('1 person has voted.').waitFor();
      await page.getByRole('button', { name: 'Remove the vote of Bob' }).waitFor();
      await look(page, place('a poll'));
      await look(friend, place('a vote'));
      for (const each of [page, friend]) await each.context().close();
    }
  }

  // From the address bar to a ticked item without a mouse.
  const page = await open();
  const press = async (target, key) => {
    await target.waitFor();
    for (let presses = 0; presses < 60; presses += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press(key);
  };
  await press(page.getByRole('link', { name: /New checklist/u }), 'Enter');
  await page.getByLabel('Name', { exact: true }).focus();
  await page.keyboard.type('Shopping');
  await press(page.getByLabel('Items, one on each line'), 'End');
  await page.keyboard.type('Milk');
  await press(page.getByRole('button', { name: 'Make it' }), 'Enter');
  await page.getByRole('button', { name: 'Open it' }).waitFor();
  await press(page.getByRole('button', { name: 'Open it' }), 'Enter');
  await shows(page, ['Milk']);
  await press(box(page, 'Milk'), 'Space');
  await page.getByText('1 of 1').waitFor();

  // And from a new poll to a vote, and to its end.
  await press(page.getByRole('link', { name: 'Lists and polls' }), 'Enter');
  await press(page.getByRole('link', { name: /New poll/u }), 'Enter');
  for (const [label, text] of [['Name', 'Trip'], ['Question', 'Where to?'], ['Options, one on each line', 'Lake']]) {
    await press(page.getByLabel(label, { exact: true }), 'End');
    await page.keyboard.type(text);
  }
  await page.keyboard.press('Enter');
  await page.keyboard.type('Sea');
  await press(page.getByLabel('Results are hidden until the poll closes'), 'Space');
  await press(page.getByRole('button', { name: 'Make it' }), 'Enter');
  await press(page.getByRole('button', { name: 'Open it' }), 'Enter');
  await press(page.getByRole('radio', { name: 'Lake' }), 'Space');
  await press(page.getByRole('button', { name: 'Vote' }), 'Enter');
  await page.getByText('1 person has voted.').waitFor();
  await press(page.getByRole('button', { name: 'Manage' }), 'Enter');
  page.once('dialog', (question) => question.accept());
  await press(page.getByRole('button', { name: 'Close the poll' }), 'Enter');
  await page.getByText('The results that are shown now stay shown.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('meter', { name: 'Share of Lake' }).waitFor();
});
