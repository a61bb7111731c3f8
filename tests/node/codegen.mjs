// graphql-codegen over the SDL file with the configuration of docs/front-end.md, which is that of the examples, and a strict TypeScript
// compilation of what it generated and of the page's other blocks. A second argument is where the documents are copied to.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from '@graphql-codegen/cli';
import { sdlFile } from './harness.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const project = join(here, '.out', 'codegen');

await rm(project, { recursive: true, force: true });
await cp(join(here, 'codegen'), project, { recursive: true });
const page = await readFile(join(here, '..', '..', 'docs', 'front-end.md'), 'utf8');
const [config, ...blocks] = [...page.matchAll(/^```ts\n(.*?)^```/gmsu)].map(([, block]) => block);
assert(config.includes('CodegenConfig') && blocks.length === 3, 'the page configures, caches, connects and sends');
const plain = (text) => text.replaceAll(/\s*\/\/.*$/gmu, '').replaceAll(/[\s,]+/gu, '');
const kit = await readFile(join(here, '..', '..', 'examples', 'web-kit', 'build', 'codegen.ts'), 'utf8');
const generates = (text) => plain(text.slice(text.indexOf("'src/gql/'"), text.indexOf('useTypeImports')));
assert.equal(generates(config), generates(kit).replace("masks?'mask':'inline'", "'inline'"), 'the page has the configuration of the examples');

await writeFile(join(project, 'codegen.mjs'), config.replace(/^import type .*$/mu, '').replace(': CodegenConfig', ''));
for (const [number, block] of blocks.entries()) await writeFile(join(project, `page-${number}.ts`), block);
const { default: settings } = await import(join(project, 'codegen.mjs'));
await generate({
  ...settings,
  cwd: project,
  schema: resolve(sdlFile()),
  documents: ['app.ts'],
  silent: true,
  errorsOnly: true,
  emitLegacyCommonJSImports: false,
  generates: { 'gql/': settings.generates['src/gql/'] },
});

const persisted = JSON.parse(await readFile(join(project, 'gql', 'persisted-documents.json')));
assert.equal(Object.keys(persisted).length, 2, 'a query and a mutation are persisted');
for (const [hash, text] of Object.entries(persisted)) {
  assert.equal(hash, `sha256:${createHash('sha256').update(text).digest('hex')}`);
}

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const compiled = spawnSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', project], {
  encoding: 'utf8',
});
assert.equal(compiled.status, 0, `${compiled.stdout}${compiled.stderr}`);
if (process.argv[3]) {
  await cp(join(project, 'gql', 'persisted-documents.json'), process.argv[3]);
}
console.log('graphql-codegen: the generated types compile');
