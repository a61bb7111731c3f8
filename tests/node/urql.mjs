// @urql/core against the applications service: POST and GET, a document cache that a mutation
// clears, and errors with their codes.

import assert from 'node:assert/strict';
import { cacheExchange, Client, fetchExchange, gql } from '@urql/core';
import { createApplication, endpoint, send } from './harness.mjs';

const LIST = gql`
  query Applications($first: Int, $after: String) {
    applications(first: $first, after: $after) {
      edges {
        node {
          id
          companyName
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

const UPDATE = gql`
  mutation UpdateApplication($input: UpdateApplicationInput!) {
    updateApplication(input: $input) {
      application {
        id
        companyName
      }
      userErrors {
        code
      }
    }
  }
`;

/** The HTTP methods of the requests that left the client. */
const methods = [];

const client = new Client({
  url: endpoint(),
  exchanges: [cacheExchange, fetchExchange],
  preferGetMethod: 'within-url-limit',
  fetch: (input, options) => {
    methods.push(options.method);
    return fetch(input, options);
  },
});

async function list(variables) {
  const { data, error } = await client.query(LIST, variables).toPromise();
  assert.equal(error, undefined, String(error));
  return data.applications;
}

const ids = [];
for (const name of ['urql one', 'urql two', 'urql three']) {
  ids.push(await createApplication(endpoint(), name));
}

const first = await list({ first: 2 });
assert.equal(first.edges.length, 2);
assert.equal(first.pageInfo.hasNextPage, true);
const second = await list({ first: 1, after: first.pageInfo.endCursor });
const listed = [...first.edges, ...second.edges].map(({ node }) => node.id);
// In any order here: several may have been made in the same millisecond.
assert.deepEqual(listed.sort(), [...ids].sort());
assert.deepEqual(methods, ['GET', 'GET']);

await list({ first: 2 });
assert.equal(methods.length, 2, 'the cache did not answer the repeated query');

const input = { id: ids[0], companyName: 'urql renamed' };
const { data, error } = await client.mutation(UPDATE, { input }).toPromise();
assert.equal(error, undefined, String(error));
assert.deepEqual(data.updateApplication.userErrors, []);
assert.equal(methods.at(-1), 'POST');
const renewed = await list({ first: 2 });
const renamed = renewed.edges.find(({ node }) => node.id === ids[0]);
assert.equal(renamed?.node.companyName, 'urql renamed');

const refused = await client.query(gql`{ noSuchField }`, {}).toPromise();
assert.equal(refused.error.graphQLErrors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');

const plain = await send(
  endpoint(),
  'query Plain($id: ID!) { application(id: $id) { companyName } }',
  { id: ids[1] },
);
assert.deepEqual(plain, { application: { companyName: 'urql two' } });
console.log('urql and plain fetch: pages, cache, mutation, GET and errors work');
