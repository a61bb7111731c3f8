// Relay's compiler over the SDL file: refetching through Node, connections at the root and below
// a Node, a mutation that adds to a list.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import compiler from 'relay-compiler';
import { sdlFile } from './harness.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const project = join(here, '.out', 'relay');

await rm(project, { recursive: true, force: true });
await mkdir(join(project, 'artifacts'), { recursive: true });
await cp(join(here, 'relay'), join(project, 'src'), { recursive: true });
await cp(sdlFile(), join(project, 'schema.graphql'));
const config = {
  src: './src',
  schema: './schema.graphql',
  artifactDirectory: './artifacts',
  language: 'javascript',
  eagerEsModules: true,
};
await writeFile(join(project, 'relay.config.json'), JSON.stringify(config));

const run = spawnSync(compiler, ['relay.config.json'], { cwd: project, encoding: 'utf8' });
assert.equal(run.status, 0, `${run.error ?? ''}${run.stdout}${run.stderr}`);

for (const query of ['ApplicationListPaginationQuery', 'ApplicationHistoryPaginationQuery']) {
  const artifact = await readFile(join(project, 'artifacts', `${query}.graphql.js`), 'utf8');
  assert.match(artifact, /"handle": "connection"/u, `${query} pages no connection`);
}
const refetch = await readFile(
  join(project, 'artifacts', 'ApplicationCardRefetchQuery.graphql.js'),
  'utf8',
);
assert.match(refetch, /node\(id: \$id\)/u, 'the fragment is not fetched again through node');
console.log("Relay's compiler accepts the schema");
