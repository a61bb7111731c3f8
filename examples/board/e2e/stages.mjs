// Interview stages put into another order by mouse: shown at once, written once, and kept; and their notes.

import assert from 'node:assert/strict';
import { create, lift, saved, send, stored, withBoard } from './harness.mjs';

const NAMES = ['Phone screen', 'System design', 'Onsite'];

const id = await create({ companyName: 'Visa', status: 'INTERVIEWING' });
for (const name of NAMES) {
  await send(
    `mutation { addInterviewStage(input: { applicationId: "${id}", name: "${name}" }) { userErrors { code } } }`,
  );
}

/** The stages as the server has them. */
async function stages() {
  const { application } = await send('query($id: ID!) { application(id: $id) { interviewStages { id name order } } }', { id });
  return application.interviewStages.toSorted((one, other) => one.order - other.order);
}

await withBoard(async (open) => {
  const page = await open(`#/applications/${id}`);
  const grips = page.getByRole('button', { name: /^Reorder / });

  /** Waits until the stages are shown in this order. */
  async function shows(...names) {
    for (const [place, name] of names.entries()) {
      await page.locator(`.stages li:nth-child(${place + 1}) [aria-label="Reorder ${name}"]`).waitFor();
    }
    assert.equal(await grips.count(), names.length);
  }

  /** Drags one stage onto another's place. */
  async function drag(from, to) {
    const [start, end] = await Promise.all(
      [from, to].map((name) => page.getByRole('button', { name: `Reorder ${name}` }).boundingBox()),
    );
    assert(start && end, 'nothing to drag, or nowhere to');
    const x = start.x + start.width / 2;
    await page.mouse.move(x, start.y + start.height / 2);
    await page.mouse.down();
    await page.mouse.move(x, start.y + start.height / 2 + Math.sign(end.y - start.y) * 8, { steps: 4 });
    await page.mouse.move(x, end.y + end.height / 2, { steps: 12 });
    await page.getByText(`${from} is at place`).waitFor({ state: 'attached' });
    await saved(page, 'ReorderStages', () => page.mouse.up());
  }

  await shows(...NAMES);
  await drag('Onsite', 'Phone screen');
  await shows('Onsite', 'Phone screen', 'System design');
  const { version } = await stored(id);
  await drag('Onsite', 'System design');
  await shows('Phone screen', 'System design', 'Onsite');
  const after = await stored(id);
  assert.deepEqual(after.interviewStages.map(({ name }) => name), NAMES);
  assert.equal(after.version, version + 1);

  // Put down where it was lifted, nothing is sent.
  const grip = await page.getByRole('button', { name: 'Reorder Onsite' }).boundingBox();
  assert(grip, 'the stage is there');
  await page.mouse.move(grip.x + 4, grip.y + 4);
  await page.mouse.down();
  await page.mouse.move(grip.x + 14, grip.y + 4, { steps: 4 });
  await page.mouse.up();
  await page.getByText('Dropped Onsite at place 3 of 3').waitFor({ state: 'attached' });
  await page.reload();
  await shows(...NAMES);
  assert.equal((await stored(id)).version, after.version);

  // An order is of the stages that its author saw when they lifted one: another order that somebody else gave them stays.
  await lift(page, page.getByRole('button', { name: 'Reorder Onsite' }), 'Onsite is at place 3 of 3');
  const theirs = ['System design', 'Phone screen', 'Onsite'];
  const known = new Map((await stages()).map(({ id: stage, name }) => [name, stage]));
  await send('mutation($input: ReorderInterviewStagesInput!) { reorderInterviewStages(input: $input) { userErrors { code } } }', {
    input: { applicationId: id, stageIds: theirs.map((name) => known.get(name)) },
  });
  await shows(...theirs);
  await page.keyboard.press('ArrowUp');
  await page.getByText('Onsite is at place 2 of 3').waitFor({ state: 'attached' });
  await page.keyboard.press('Space');
  const conflict = page.getByRole('alertdialog', { name: 'Changed somewhere else' });
  await conflict.getByRole('button', { name: 'Keep theirs' }).click();
  await conflict.waitFor({ state: 'detached' });
  assert.deepEqual((await stages()).map(({ name }) => name), theirs);
  await shows(...theirs);

  // Each has notes of its own, which can be cleared again.
  for (const [text, kept] of [['Ask about\nthe team', 'Ask about\nthe team'], ['', null]]) {
    await page.getByRole('button', { name: /^Notes on Onsite: / }).click();
    const notes = page.getByRole('textbox', { name: 'Notes on Onsite' });
    await notes.fill(text);
    await saved(page, 'EditStage', () => notes.blur());
    const stages = (await stored(id)).interviewStages;
    assert.deepEqual(stages.map((stage) => stage.notes), [null, null, kept]);
  }
  await page.getByRole('button', { name: 'Notes on Onsite: Add notes' }).waitFor();
});
