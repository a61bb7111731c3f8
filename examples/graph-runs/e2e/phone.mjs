// On a phone: a finding that is tapped brings its node, the way to it from the internet and what is wrong into sight, in a size
// that can be read. And how findings are worded.

import assert from 'node:assert/strict';
import { ARCHIVE, drawn, NETWORK, PRIVATE, shape, withGraphRuns } from './harness.mjs';

const BUCKET = 'module.archive.aws_s3_bucket.logs';
/** A finding about it names an argument, which is code. */
const PLAIN = `
resource "aws_db_instance" "plain" {
  engine            = "postgres"
  storage_encrypted = false
}
`;
/** The least height of letters that can be read, in pixels. */
const READABLE = 9;

/** Whether the whole of an element, or what fits of it, is within the window. */
function isInSight(locator) {
  return locator.evaluate((element) => {
    const { top, left, height, width } = element.getBoundingClientRect();
    return top >= 0 && top + Math.min(height, 80) <= window.innerHeight && left + Math.min(width, 80) > 0 && left < window.innerWidth;
  });
}

/** The height of the picture's text, in pixels. */
function textHeight(page) {
  return page.locator('.frame svg').evaluate((svg) => svg.getScreenCTM().a * Number.parseFloat(getComputedStyle(svg).fontSize));
}

await withGraphRuns(async (open, folder) => {
  const files = { 'main.tf': NETWORK + PLAIN, 'modules/archive/main.tf': ARCHIVE };
  const maker = await open();
  const runs = [];
  for (const [name, archive] of [['before', ARCHIVE], ['after', PRIVATE]]) {
    await maker.locator('input[type=file]').first().setInputFiles(await folder(name, { ...files, 'modules/archive/main.tf': archive }));
    await drawn(maker);
    runs.push(maker.url().split('/').at(-1));
    await maker.getByRole('link', { name: 'Graphs' }).click();
  }

  for (const width of [320, 400]) {
    const page = await open(`#/runs/${runs[0]}`, { viewport: { width, height: 700 }, hasTouch: true, isMobile: true });
    await drawn(page);
    const findings = page.getByRole('complementary').getByRole('button');
    for (const [text, node] of [
      ['exposed-uses-datastore', 'aws_instance.web'],
      [BUCKET, BUCKET],
    ]) {
      await findings.filter({ hasText: text }).first().tap();
      await page.locator(`.shape[data-node='${node}'][data-selected='true']`).waitFor();
      await page.locator('.internet').waitFor();
      assert(await isInSight(shape(page, node)), `${node} is out of sight`);
      const facts = page.getByRole('region', { name: 'Selected node' });
      assert(await isInSight(facts), 'what is wrong is out of sight');
      await facts.getByText('Path: Internet → ').waitFor();
      const height = await textHeight(page);
      assert(height >= READABLE, `letters of ${height} pixels`);
      // And back to where one was.
      await facts.getByRole('button', { name: 'Back to the list' }).tap();
      assert(await isInSight(findings.and(page.locator('[aria-current=true]')).first()), 'the finding is out of sight');
    }
    // The steps of the way are drawn, and no others.
    await findings.filter({ hasText: 'exposed-uses-datastore' }).first().tap();
    await page.getByText('Path: Internet → aws_instance.web → aws_db_instance.orders').waitFor();
    assert.equal(await page.locator('.frame .line[data-on=true]').count(), 2);
    await page.close();
  }

  // One port is not a range, and code is set as code.
  const page = await open(`#/runs/${runs[0]}`);
  await drawn(page);
  const said = await page.locator('main').innerText();
  assert(said.includes('tcp port 443'), said);
  assert(!said.includes('443 to 443') && !said.includes('`'), said);
  assert((await page.locator('.findings code').count()) > 0, said);

  // What differs is named once each.
  await page.evaluate(([from, to]) => (location.hash = `#/compare/${from}/${to}`), runs);
  await page.getByRole('heading', { name: 'Two runs compared' }).waitFor();
  const lines = await page.locator('.differences li').allInnerTexts();
  assert(lines.length > 0 && new Set(lines).size === lines.length, lines.join('\n'));
});
