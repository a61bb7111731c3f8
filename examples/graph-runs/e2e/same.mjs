// One folder has one answer: dropped on the page, uploaded as an archive, and by the command. The folder has every kind of file that
// is read and some that are not. The second argument is the binary.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { strToU8, zipSync } from 'fflate';
import { withServer } from 'trestle-web-kit/e2e/served.mjs';
import { send } from 'trestle-web-kit/e2e/browser.mjs';
import { eventually } from 'trestle-web-kit/e2e/waiting.mjs';
import { drawn, drop, withGraphRuns } from './harness.mjs';

const OPEN = JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: '*' }] });
const policy = (name, text) => `
resource "aws_s3_bucket" "${name}" {
  bucket = "example-${name}"
}
resource "aws_s3_bucket_policy" "${name}" {
  bucket = aws_s3_bucket.${name}.id
  policy = ${text}
}
`;

/** The endings of what configurations read by `file` and `templatefile`, and of what they do not. */
const ENDINGS = ['json', 'template', 'tftpl', 'tmpl', 'tpl', 'txt', 'yaml', 'yml', 'hcl', 'md', 'pem', 'lock'];
const FOLDERS = ['', 'policies/', '.policies/', '.terraform/', 'node_modules/x/', 'a/b/c/'];

/** Each file that may be read is a policy that opens a bucket: if it is not, that is another answer. */
function files() {
  const all = {
    'variables.tf': 'variable "acl" {}\nvariable "open" {\n  default = false\n}\n',
    'terraform.tfvars': 'acl = "public-read"\n',
    'more.auto.tfvars.json': '{ "open": true }',
    'other.tfvars': 'acl = "private"\n',
    'acl.tf': 'resource "aws_s3_bucket" "acl" {\n  bucket = "example-acl"\n  acl    = var.acl\n}\n',
    'json.tf.json': '{ "resource": { "aws_s3_bucket": { "json": { "bucket": "example-json", "acl": "public-read" } } } }',
    'unread/main.tf': policy('unread', 'data.http.policy.body') + '# trestle:ignore public-bucket\n',
    'broken/main.tf': 'resource "aws_s3_bucket" {{{',
    'module.tf': 'module "kept" {\n  source = "example/kept/aws"\n}\nmodule "broken" {\n  source = "./broken"\n}\nmodule "unread" {\n  source = "./unread"\n}\n',
    '.terraform/modules/modules.json': JSON.stringify({ Modules: [{ Key: 'kept', Source: 'example/kept/aws', Dir: '.terraform/modules/kept' }] }),
    '.terraform/modules/kept/main.tf': policy('kept', 'file("${path.module}/policy.json")'),
    '.terraform/modules/kept/policy.json': OPEN,
    '.terraform/providers/main.tf': policy('provider', JSON.stringify(OPEN)),
    '.terraform.lock.hcl': 'provider "registry.terraform.io/hashicorp/aws" {\n  version = "5.1.0"\n}\n',
    '.git/config': 'x',
    '.hidden/main.tf': policy('hidden', JSON.stringify(OPEN)),
    'terragrunt.hcl': 'inputs = {}\n',
    'binary.json': Buffer.from([0xff, 0xfe, 0, 1, 2]),
    'huge.json': `${OPEN}${' '.repeat(300_000)}`,
    'README.md': 'Not read',
  };
  for (const [at, folder] of FOLDERS.entries()) {
    for (const ending of ENDINGS) {
      all[`${folder}policy.${ending}`] = OPEN;
      all[`${ending}-${at}.tf`] = policy(`${ending}_${at}`, `file("\${path.module}/${folder}policy.${ending}")`);
    }
  }
  for (const name of ['binary', 'huge']) all[`${name}.tf`] = policy(name, `file("\${path.module}/${name}.json")`);
  return all;
}

/** What an analysis says. */
function said({ findings, unresolved, notes, warnings, unread, valueFiles, roots }) {
  return { findings, unresolved, notes, warnings, unread, valueFiles, roots };
}

async function reportOf(runId) {
  const ask = () => send('query($id: String!) { run(runId: $id) { status failureReason reportDownload { url } } }', { id: runId });
  const { run } = await eventually(ask, ({ run: { status } }) => status === 'COMPLETE' || status === 'FAILED');
  assert.equal(run.failureReason, null);
  return JSON.parse(await (await fetch(run.reportDownload.url)).text());
}

async function byArchive(all) {
  const archive = zipSync(Object.fromEntries(Object.entries(all).map(([path, text]) => [path, typeof text === 'string' ? strToU8(text) : new Uint8Array(text)])));
  const { createRun } = await send(
    'mutation { createRun(input: { environment: DEV, iacFormat: ZIP }) { run { runId } upload { url headers { name value } } userErrors { message } } }',
  );
  assert.deepEqual(createRun.userErrors, []);
  const { url, headers } = createRun.upload;
  const sent = await fetch(url, { method: 'PUT', body: archive, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) });
  assert(sent.ok, await sent.text());
  const { runId } = createRun.run;
  await send('mutation($id: String!) { startRun(input: { runId: $id }) { userErrors { message } } }', { id: runId });
  return reportOf(runId);
}

async function byCommand(binary, folder) {
  const { stdout } = await promisify(execFile)(binary, ['graph', 'analyze', folder, '--format', 'json', '--fail-on', 'never'], { maxBuffer: 1e8 });
  return JSON.parse(stdout);
}

const binary = process.argv[2];
await withServer(binary, ['--service', 'graph-runs'], async () => {
  await withGraphRuns(async (open, folder) => {
    const all = files();
    const path = await folder('.setup', all);
    const command = await byCommand(binary, path);
    assert.deepEqual(said(await byArchive(all)), said(command));
    assert(command.findings.length > ENDINGS.length, `${command.findings.length} findings`);

    // Dropped, and chosen.
    const page = await open();
    const choose = async () => page.locator('input[type=file]').first().setInputFiles(path);
    for (const give of [() => drop(page, path), choose]) {
      await give();
      await drawn(page);
      const runId = /#\/runs\/([^/?]+)/u.exec(page.url())[1];
      assert.deepEqual(said(await reportOf(runId)), said(command));

      // All of it is on the page.
      const title = (name) => page.getByRole('heading', { name, exact: true }).waitFor();
      await title(`${command.findings.length} findings`);
      const undecided = [...command.unresolved, ...command.notes.filter(({ rule }) => rule)];
      for (const [words, list] of [['Not decided', undecided], ['Warnings', command.warnings], ['Not read', command.unread]]) {
        assert(list.length > 0, `${words}: none`);
        await title(`${words}: ${list.length}`);
        const shown = await page.getByRole('region', { name: words, exact: true }).getByRole('listitem').count();
        assert.equal(shown, list.length, words);
      }
      await page.getByRole('link', { name: 'Graphs' }).click();
    }
  });
});
