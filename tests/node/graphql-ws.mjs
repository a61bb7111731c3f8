// The npm client graphql-ws against the applications service: two clients in step, a query over the
// same connection, errors with their codes, completion.

import assert from 'node:assert/strict';
import { createClient } from 'graphql-ws';
import { WebSocket as Ws } from 'ws';
import { createApplication, endpoint, send } from './harness.mjs';

const WATCH = `subscription Changes($ids: [ID!]) {
  applicationChanged(ids: $ids) { kind applicationId version application { companyName } }
}`;

function connect() {
  return createClient({
    url: endpoint().replace(/^http/, 'ws'),
    webSocketImpl: Ws,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: (error) => {
      throw error;
    },
  });
}

/** A query's answer: it runs behind what was asked on the same connection before it. */
async function active(client) {
  for await (const { data } of client.iterate({ query: '{ applicationStats { active } }' })) {
    return data.applicationStats.active;
  }
}

const clients = [connect(), connect()];
const watches = clients.map((client) => client.iterate({ query: WATCH }));
const first = watches.map((watch) => watch.next());
for (const client of clients) {
  assert.equal(await active(client), 0);
}

const id = await createApplication(endpoint(), 'graphql-ws');
const created = { kind: 'CREATED', applicationId: id, version: 1, application: { companyName: 'graphql-ws' } };
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

const wrong = clients[0].iterate({ query: 'subscription { noSuchField }' });
await assert.rejects(wrong.next(), (errors) => {
  assert.equal(errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
  return true;
});

for (const watch of watches) {
  assert.equal((await watch.return()).done, true);
}
assert.equal(await active(clients[0]), 0);
await Promise.all(clients.map((client) => client.dispose()));
console.log('graphql-ws: two clients in step, queries, errors and completion work');
