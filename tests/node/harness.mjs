// What every script here shares: where the server is, a time limit, plain requests.
// A failed assertion ends a script with its message and exit code 1.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

/** Beyond this a script is stuck: the longest takes a few seconds. */
const LIMIT_MS = 120_000;

setTimeout(() => {
  console.error(`gave up after ${LIMIT_MS / 1000} s`);
  process.exit(1);
}, LIMIT_MS).unref();

/** The server's GraphQL URL: the first argument, or TRESTLE_URL. */
export function endpoint() {
  const url = process.argv[2] ?? process.env.TRESTLE_URL;
  assert(url, 'give the GraphQL URL as the first argument or in TRESTLE_URL');
  return url;
}

/** Sends one operation with plain fetch and answers its `data`; any error fails. */
export async function send(url, query, variables) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const { data, errors } = JSON.parse(text);
  assert.equal(errors, undefined, text);
  return data;
}

/** Makes one application through the API and answers its id. */
export async function createApplication(url, companyName) {
  const { createApplication: payload } = await send(
    url,
    `mutation Create($input: CreateApplicationInput!) {
      createApplication(input: $input) { application { id } userErrors { code message field } }
    }`,
    { input: { companyName, positionTitle: 'Engineer', status: 'APPLIED' } },
  );
  assert.deepEqual(payload.userErrors, []);
  return payload.application.id;
}

/** The SDL file: the first argument, or schema.graphql at the top of the repository. */
export function sdlFile() {
  return process.argv[2] ?? fileURLToPath(new URL('../../schema.graphql', import.meta.url));
}
