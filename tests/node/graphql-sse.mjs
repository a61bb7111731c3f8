// The npm client graphql-sse (distinct connections) against the applications service: two clients in
// step, a query as a stream of one, errors with their codes, leaving.

import assert from 'node:assert/strict';
import { createClient } from 'graphql-sse';
import { createApplication, endpoint, send } from './harness.mjs';

const WATCH = `subscription Changes($ids: [ID!]) {
  applicationChanged(ids: $ids) { kind applicationId version application { companyName } }
}`;

/** A client that says when it is connected: it watches from then on. */
function connect() {
  let connected;
  const watching = new Promise((resolve) => {
    connected = resolve;
  });
  const client = createClient({
    url: endpoint(),
    retryAttempts: 0,
    fetchFn: async (...request) => {
      const response = await fetch(...request);
      connected(response);
      return response;
    },
  });
  return { client, watching };
}

const clients = [connect(), connect()];
const watches = clients.map(({ client }) => client.iterate({ query: WATCH }));
const first = watches.map((watch) => watch.next());
for (const { watching } of clients) {
  assert.match((await watching).headers.get('content-type'), /^text\/event-stream/);
}

const id = await createApplication(endpoint(), 'graphql-sse');
const created = { kind: 'CREATED', applicationId: id, version: 1, application: { companyName: 'graphql-sse' } };
for (const next of first) {
  assert.deepEqual((await next).value.data.applicationChanged, created);
}

const DELETE = 'mutation($id: ID!) { deleteApplication(input: { id: $id }) { userErrors { code } } }';
const second = watches.map((watch) => watch.next());
await send(endpoint(), DELETE, { id });
for (const next of second) {
  const gone = { kind: 'DELETED', applicationId: id, version: 1, application: null };
  assert.deepEqual((await next).value.data.applicationChanged, gone);
}

const { client } = clients[0];
const answers = [];
for await (const answer of client.iterate({ query: '{ applicationStats { active } }' })) {
  answers.push(answer.data);
}
assert.deepEqual(answers, [{ applicationStats: { active: 0 } }]);

const wrong = await client.iterate({ query: 'subscription { noSuchField }' }).next();
assert.equal(wrong.value.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');

for (const watch of watches) {
  assert.equal((await watch.return()).done, true);
}
clients.forEach(({ client }) => client.dispose());
console.log('graphql-sse: two clients in step, queries, errors and leaving work');
