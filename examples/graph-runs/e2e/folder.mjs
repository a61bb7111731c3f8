// A folder with Terraform files is dropped on the page: picture and findings, each of which comes to the middle; another
// one, and both compared; the files of a run.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { ARCHIVE, drawn, drop, NETWORK, offCentre, PRIVATE, shape, withGraphRuns } from './harness.mjs';

const BUCKET = 'module.archive.aws_s3_bucket.logs';

await withGraphRuns(async (open, folder) => {
  const files = { 'main.tf': NETWORK, 'modules/archive/main.tf': ARCHIVE, 'README.md': 'Not uploaded', '.git/config': 'x' };
  const before = await folder('before', files);
  const after = await folder('after', { ...files, 'modules/archive/main.tf': PRIVATE });
  const page = await open();
  const other = await open();
  await page.getByText('No runs yet.').waitFor();

  await drop(page, before);
  await drawn(page);
  assert.match(page.url(), /#\/runs\//u);
  await shape(page, 'aws_db_instance.orders').waitFor();
  assert.equal(await shape(page, BUCKET).getAttribute('data-look'), 'exposed');
  // Whoever looks at the list sees the run come.
  await other.getByText('exposed').first().waitFor();

  // The header and the legend count the same: what is reached and stores data is both.
  const header = await page.locator('h1 + p').innerText();
  for (const [words, of] of [['exposed', 'The internet reaches it'], ['store data', 'Stores data'], ['undecided', 'Not decided by the files']]) {
    const [, count] = new RegExp(`(\\d+) ${words}`, 'u').exec(header) ?? [];
    await page.getByRole('list', { name: 'Legend' }).getByText(`${of} (${count})`).waitFor();
  }

  // A finding brings its node to the middle.
  const finding = page.getByRole('button', { name: /public-bucket|public-datastore/u }).filter({ hasText: BUCKET }).first();
  await finding.click();
  await page.getByRole('region', { name: 'Selected node' }).getByText(BUCKET).first().waitFor();
  assert.equal(await shape(page, BUCKET).getAttribute('data-selected'), 'true');
  const far = await offCentre(page, BUCKET);
  assert(far < 40, `${far} pixels from the middle`);
  // So does a node of the list, and what is dragged stays selected.
  await page.getByLabel('Find a node').fill('db_inst');
  await page.getByRole('button', { name: 'aws_db_instance.orders', exact: true }).click();
  await page.locator(`.shape[data-node='aws_db_instance.orders'][data-selected='true']`).waitFor();

  // A finding about a path marks it.
  await page.getByRole('button').filter({ hasText: 'exposed-uses-datastore' }).first().click();
  await page.locator('.frame svg > .line[data-on=true]').waitFor();
  await page.getByText('Path: Internet → aws_instance.web → aws_db_instance.orders').waitFor();
  await page.locator('.internet').waitFor();

  // By mouse, wheel and keys.
  await page.evaluate(() => window.scrollTo(0, 0));
  const frame = await page.locator('.frame').boundingBox();
  const view = () => page.locator('.frame svg').getAttribute('viewBox');
  const seen = new Set([await view()]);
  const differs = async (what) => {
    const now = await view();
    assert(!seen.has(now), `${what} changes what is shown`);
    seen.add(now);
  };
  await page.mouse.move(frame.x + 40, frame.y + 40);
  await page.mouse.down();
  await page.mouse.move(frame.x + 140, frame.y + 90, { steps: 5 });
  await page.mouse.up();
  await differs('dragging');
  await page.mouse.wheel(0, -200);
  await page.waitForFunction((old) => document.querySelector('.frame svg').getAttribute('viewBox') !== old, [...seen].at(-1));
  await differs('the wheel');
  await page.locator('.frame').focus();
  await page.keyboard.press('ArrowLeft');
  await differs('an arrow key');
  await page.keyboard.press('+');
  await differs('plus');
  await page.getByRole('button', { name: 'Show all' }).click();

  // A module stands out.
  await page.getByRole('button', { name: 'module.archive (2)' }).click();
  await page.locator(`.shape[data-node='aws_instance.web'][data-dim='true']`).waitFor();
  assert.equal(await shape(page, BUCKET).getAttribute('data-dim'), 'false');

  // Its files.
  const save = async (name) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
    return readFile(await file.path(), 'utf8');
  };
  assert.match(await save('SVG'), /^<svg /u);
  const sarif = JSON.parse(await save('SARIF'));
  assert.equal(sarif.version, '2.1.0');
  const names = sarif.runs[0].results.flatMap(({ locations }) => locations.map(({ logicalLocations: [one] }) => one.fullyQualifiedName));
  assert(names.includes(BUCKET), names.join());

  // The second run, and what differs.
  await page.getByRole('link', { name: 'Graphs' }).click();
  await drop(page, after);
  await drawn(page);
  await page.getByRole('link', { name: 'Graphs' }).click();
  const boxes = page.getByRole('checkbox', { name: /^Compare /u });
  await boxes.nth(1).waitFor();
  // Runs of one minute have names of their own, also where they are compared.
  const [second, first] = await boxes.evaluateAll((all) => all.map((box) => box.getAttribute('aria-label').replace('Compare ', '')));
  assert.notEqual(first, second);
  assert.match(first, /^Run of .*\d:\d\d:\d\d/u);
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByRole('button', { name: 'Compare two' }).click();
  await page.getByRole('heading', { name: 'Two runs compared' }).waitFor();
  await page.locator('.compared div').filter({ hasText: 'From' }).getByRole('link', { name: first, exact: true }).waitFor();
  await page.locator('.compared div').filter({ hasText: /^To/u }).getByRole('link', { name: second, exact: true }).waitFor();
  const gone = page.getByRole('link', { name: /^Gone/u }).filter({ hasText: BUCKET }).first();
  await gone.waitFor();
  await gone.click();
  await page.locator(`.shape[data-node='${BUCKET}'][data-selected='true']`).waitFor();

  // What is no Terraform is refused with what to do, and nothing is made.
  await page.getByRole('link', { name: 'Graphs' }).click();
  await drop(page, await folder('photos', { 'a.txt': 'x', 'b.txt': 'y' }));
  await page.getByText('There is no Terraform file in it').waitFor();
  assert.equal(await boxes.count(), 2);

  // One file, of another environment.
  await page.getByRole('combobox', { name: 'Environment' }).selectOption('PROD');
  await page.locator('input[type=file]').nth(1).setInputFiles({ name: 'main.tf', mimeType: 'text/plain', buffer: Buffer.from(ARCHIVE) });
  await drawn(page);
  await page.getByRole('link', { name: 'Graphs' }).click();
  await page.getByRole('link', { name: 'Production', exact: true }).click();
  await page.getByRole('checkbox', { name: /^Compare /u }).first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.run').length === 1);
});
