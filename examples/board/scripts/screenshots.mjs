// The pictures of the README: a made-up search with its past, then the board, an application and the insight.
//
//   node scripts/screenshots.mjs [path of the binary, ../../target/debug/trestle unless given]

import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { card, send, withBoard } from '../e2e/harness.mjs';
import { withRecords } from '../e2e/served.mjs';
import { search } from './search.mjs';

const TARGET = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));
const [binary = fileURLToPath(new URL('../../../target/debug/trestle', import.meta.url))] =
  process.argv.slice(2);
const DESK = { viewport: { width: 1360, height: 850 } };
const PHONE = { viewport: { width: 390, height: 844 } };

const records = search(new Date());
const active = records.filter(({ isArchived }) => !isArchived).length;

/** A page where nothing moves, and a function that takes its picture when it is complete. */
async function camera(open, colorScheme, size) {
  const page = await open('#/', { ...size, colorScheme, reducedMotion: 'reduce' });
  const shot = async (name) => {
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: `${TARGET}${name}-${colorScheme}.png` });
  };
  await card(page, 'Aurelia Robotics').first().waitFor();
  await page.getByText(`${active} active`).waitFor();
  return { page, shot };
}

/** The day so many days from now, where the browser is. */
function dayIn(days) {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

/** What the week ahead shows. */
async function plan() {
  const { applications } = await send(
    '{ applications(filter: { statuses: [INTERVIEWING, APPLIED, GIVEN_OFFER] }, first: 12) { edges { node { id interviewStages { id isCompleted } } } } }',
  );
  const nodes = applications.edges.map(({ node }) => node);
  const steps = [['Send the portfolio', 0], ['Ask about remote work', 1], ['Call the recruiter back', 3]];
  for (const [at, [nextAction, days]] of steps.entries()) {
    await send(
      'mutation($input: UpdateApplicationInput!) { updateApplication(input: $input) { userErrors { message } } }',
      { input: { id: nodes[at * 2].id, nextAction, nextActionDate: dayIn(days) } },
    );
  }
  const open = nodes.flatMap(({ interviewStages }) => (interviewStages ?? []).filter(({ isCompleted }) => !isCompleted));
  for (const [at, stage] of open.slice(0, 2).entries()) {
    await send(
      'mutation($input: UpdateInterviewStageInput!) { updateInterviewStage(input: $input) { userErrors { message } } }',
      { input: { id: stage.id, scheduledAt: `${dayIn(at + 1)}T${at === 0 ? '14:00' : '10:30'}:00+00:00` } },
    );
  }
}

await mkdir(TARGET, { recursive: true });
await withRecords(binary, records, async () => {
  await plan();
  await withBoard(async (open) => {
    for (const colorScheme of ['light', 'dark']) {
      const desk = await camera(open, colorScheme, DESK);
      await desk.shot('board');
      await desk.page.getByRole('searchbox').fill('data');
      await desk.page.getByText(/found/u).first().waitFor();
      await desk.page.locator('.column.folded').first().waitFor();
      await desk.shot('search');
      await desk.page.getByRole('searchbox').fill('');
      await card(desk.page, 'Aurelia Robotics').getByRole('link').click();
      await desk.page.getByText('Application created').waitFor();
      await desk.shot('detail');
      await desk.page.keyboard.press('Escape');
      await desk.page.evaluate(() => (location.hash = '#/table'));
      await desk.page.getByText(`${active} applications`).waitFor();
      await desk.shot('table');
      await desk.page.setViewportSize({ ...DESK.viewport, height: 870 });
      await desk.page.evaluate(() => (location.hash = '#/insight'));
      await desk.page.getByText(/sent in \d+ weeks/u).waitFor();
      await desk.page.getByText(/^median of/u).first().waitFor();
      await desk.shot('insight');
      const phone = await camera(open, colorScheme, PHONE);
      await phone.page.getByRole('button', { name: 'Interviewing', exact: true }).click();
      await phone.shot('phone');
    }
  });
});
