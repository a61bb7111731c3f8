// What changed between two SDL files: `node schema-diff.mjs OLD.graphql NEW.graphql`.
// Prints every change; a breaking one makes it end with exit code 1.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

const [oldFile, newFile] = process.argv.slice(2);
assert(oldFile && newFile, 'give the old and the new SDL file');

const [before, after] = await Promise.all(
  [oldFile, newFile].map(async (file) => buildSchema(await readFile(file, 'utf8'))),
);
const changes = await diff(before, after);
const breaking = changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
for (const { criticality, message } of changes) {
  console.log(`${criticality.level.toLowerCase()}: ${message}`);
}
console.log(`${changes.length} changes, ${breaking.length} of them breaking`);
process.exitCode = breaking.length === 0 ? 0 : 1;
