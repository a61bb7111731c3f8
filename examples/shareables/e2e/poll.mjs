// A poll with a hidden result: two vote, nobody sees how, its maker closes it, and saves the votes.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { withoutWorker } from 'trestle-web-kit/e2e/waiting.mjs';
import { makePoll, openAs, withShareables } from './harness.mjs';

const formulas = '=1+1';

await withShareables(async (open) => {
  const maker = await open();
  // What is no date makes no poll, and neither do options that are there twice: both are named as people do.
  await maker.getByRole('link', { name: /New poll/u }).click();
  await maker.getByLabel('Name', { exact: true }).fill('Hike');
  await maker.getByLabel('Question').fill('When?');
  const days = maker.getByLabel(/^Days as options/u);
  const problem = maker.getByRole('alert');
  for (const [text, words] of [
    ['2027-07-10, 10.7.2027', '“10.7.2027” is not a date such as 2027-07-10.'],
    ['July 10', '“July 10” is not a date such as 2027-07-10.'],
    ['2027-07-10 2027-13-45, 2027-02-30', '“2027-13-45”, “2027-02-30” are not dates such as 2027-07-10.'],
    ['2027-07-10, 2027-07-10', 'Day 2 is there twice: give another one.'],
  ]) {
    await days.fill(text);
    await maker.getByRole('button', { name: 'Make it' }).click();
    await problem.getByText(words, { exact: true }).waitFor();
  }
  await days.fill('');
  await maker.getByLabel('Options, one on each line').fill('Lake\nSea\nlake');
  await maker.getByRole('button', { name: 'Make it' }).click();
  await problem.getByText('Option 3 is there twice: give another one.', { exact: true }).waitFor();
  await maker.goto(new URL('#/', maker.url()).href);
  const { link } = await makePoll(maker, {
    name: 'Trip',
    question: 'Where to?',
    options: ['Lake', 'Mountains'],
    choices: ['Results are hidden until the poll closes', '“If need be” as an answer', 'Several options'],
    by: 'Ann',
  });
  await maker.getByText('0 people have voted.').waitFor();
  const friend = await openAs(open, link, formulas, { prepare: withoutWorker });
  await friend.getByText('Where to?').first().waitFor();

  await maker.getByRole('group', { name: 'Lake' }).getByLabel('Yes').check();
  await maker.getByRole('button', { name: 'Vote' }).click();
  await friend.getByText('1 person has voted.').waitFor();
  await friend.getByRole('group', { name: 'Lake' }).getByLabel('If need be').check();
  await friend.getByRole('group', { name: 'Mountains' }).getByLabel('Yes').check();
  await friend.getByLabel('Comment (optional)').fill('By train');
  await friend.getByRole('button', { name: 'Vote' }).click();
  await maker.getByText('2 people have voted.').waitFor();
  for (const page of [maker, friend]) {
    assert.equal(await page.getByRole('meter').count(), 0, 'results are hidden');
    assert.equal(await page.getByText('By train').count(), 0, 'votes are hidden');
  }

  await maker.getByRole('button', { name: 'Manage' }).click();
  await maker.getByText('The votes are hidden until the poll closes.').waitFor();
  // Closing shows the result: it is asked for first, with what happens, and nothing is shown to whoever says no.
  const close = async (answer) => {
    const asked = maker.waitForEvent('dialog').then(async (dialog) => {
      await dialog[answer]();
      return dialog.message();
    });
    await maker.getByRole('button', { name: 'Close the poll' }).click();
    return asked;
  };
  assert.match(await close('dismiss'), /sees its results.*They stay shown if you open the poll again/u);
  await maker.getByText('The votes are hidden until the poll closes.').waitFor();
  assert.equal(await friend.getByRole('meter').count(), 0, 'results are hidden');
  await close('accept');
  await maker.getByText('The poll is closed, and its results are shown', { exact: true }).waitFor();
  const [file] = await Promise.all([
    maker.waitForEvent('download'),
    maker.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  assert.match(file.suggestedFilename(), /^[A-Z]{3}-[A-Z]{3}-\d{5}\.csv$/u);
  const text = await readFile(await file.path(), 'utf8');
  // By the byte order mark, spreadsheets read umlauts.
  assert(text.startsWith('\uFEFF'));
  const rows = text.slice(1).split('\r\n');
  assert.equal(rows[0], 'Voter,Lake,Mountains,Comment,Voted at');
  assert(rows.some((row) => row.startsWith('Ann,yes,no,,')), rows.join('\n'));
  // What a spreadsheet would compute is text.
  assert(rows.some((row) => row.startsWith("'=1+1,if need be,yes,By train,")), rows.join('\n'));
  assert.equal(rows[3], 'Votes,1,1,,');
  assert.equal(rows[4], 'If need be,1,0,,');
  await maker.keyboard.press('Escape');

  await friend.getByText('The poll is closed.').waitFor();
  await friend.getByRole('meter', { name: 'Share of Lake' }).waitFor();
  await friend.getByText('1, 1 if need be').waitFor();
  assert.equal(await friend.getByRole('button', { name: 'Vote' }).count(), 0);

  // Opened again, the results stay shown, as the page says; closing it again asks nothing, because nothing new is shown.
  await maker.getByRole('button', { name: 'Manage' }).click();
  await maker.getByText('The results that are shown now stay shown.').waitFor();
  await maker.getByRole('button', { name: 'Open the poll again' }).click();
  await friend.getByRole('button', { name: 'Change my vote' }).waitFor();
  await friend.getByRole('meter', { name: 'Share of Lake' }).waitFor();
  await friend.context().setOffline(true);
  await friend.getByText('You are offline.').waitFor();
  await friend.getByRole('button', { name: 'Change my vote' }).click();
  await friend.getByText('1 change waits.').waitFor();
  await maker.getByRole('button', { name: 'Close the poll' }).click();
  await maker.getByText('The poll is closed', { exact: true }).waitFor();
  await friend.context().setOffline(false);
  await friend.getByText('Could not vote in “Where to?”: The poll is closed.').waitFor();
  await friend.getByRole('meter', { name: 'Share of Lake' }).waitFor();
  await maker.keyboard.press('Escape');

  // A vote that should not have been.
  maker.once('dialog', (dialog) => dialog.accept());
  await maker.getByRole('button', { name: 'Remove the vote of =1+1' }).click();
  await friend.getByText('1 person has voted.').waitFor();
});
