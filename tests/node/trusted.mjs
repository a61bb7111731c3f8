// A server that runs the documents of one file and no others: each is asked for by its name in the file,
// and by Apollo's hash. The second argument is the file.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { endpoint } from './harness.mjs';

const url = endpoint();
const documents = JSON.parse(await readFile(process.argv[3], 'utf8'));

async function ask(body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** What an answer says of a document that was found: it ran, or its variables were missing. */
function found(answer) {
  return answer.data !== undefined || answer.errors[0].extensions.code === 'BAD_USER_INPUT';
}

const names = Object.keys(documents);
assert(names.length > 0);
let ran = 0;
for (const name of names) {
  const sha256Hash = name.replace('sha256:', '');
  for (const body of [
    { documentId: name },
    { extensions: { persistedQuery: { version: 1, sha256Hash } } },
    { query: documents[name] },
  ]) {
    const answer = await ask(body);
    assert(found(answer), `${name}: ${JSON.stringify(answer)}`);
    ran += answer.data === undefined ? 0 : 1;
  }
}
assert(ran > 0, 'one document at least needs no variables');

const other = await ask({ query: '{ __typename }' });
assert.equal(other.errors[0].extensions.code, 'FORBIDDEN');
const unknown = await ask({ documentId: `sha256:${'0'.repeat(64)}` });
assert.equal(unknown.errors[0].extensions.code, 'PERSISTED_QUERY_NOT_FOUND');
console.log(`trusted documents: ${names.length} of ${names.length} run, others do not`);
