// graphql-codegen's client preset over the SDL file, with persisted documents, and a strict
// TypeScript compilation of what it generated. A second argument is where the documents are copied to.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from '@graphql-codegen/cli';
import { sdlFile } from './harness.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const project = join(here, '.out', 'codegen');

await rm(project, { recursive: true, force: true });
await cp(join(here, 'codegen'), project, { recursive: true });
await generate({
  cwd: project,
  schema: resolve(sdlFile()),
  documents: ['app.ts'],
  silent: true,
  errorsOnly: true,
  emitLegacyCommonJSImports: false,
  generates: {
    'gql/': {
      preset: 'client',
      presetConfig: { persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: {
        enumType: 'native',
        scalars: {
          Date: 'string',
          DateTime: 'string',
          OffsetDateTime: 'string',
          SafeInt: 'number',
          URL: 'string',
          UUID: 'string',
        },
        strictScalars: true,
      },
    },
  },
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
