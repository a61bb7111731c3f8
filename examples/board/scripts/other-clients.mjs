// The same schema from other clients: urql, and plain `fetch`.
//
//   node scripts/other-clients.mjs http://127.0.0.1:8000/graphql

import { cacheExchange, Client, fetchExchange, gql } from '@urql/core';

const url = process.argv[2] ?? 'http://127.0.0.1:8000/graphql';

// urql: make an application, with an id from here so that sending it again makes it once.
const urql = new Client({ url, exchanges: [cacheExchange, fetchExchange], preferGetMethod: false });
const CREATE = gql`
  mutation Create($input: CreateApplicationInput!) {
    createApplication(input: $input) {
      application { id companyName version }
      userErrors { code message field }
    }
  }
`;
const input = { id: crypto.randomUUID(), companyName: 'Acme', positionTitle: 'Engineer' };
const created = await urql.mutation(CREATE, { input }).toPromise();
if (created.error) throw created.error;
const { application, userErrors } = created.data.createApplication;
if (userErrors.length > 0) throw new Error(JSON.stringify(userErrors));
console.log('urql made', application);

// Plain fetch: change it, on the version that we know.
const response = await fetch(url, {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
  body: JSON.stringify({
    query: `mutation Move($input: UpdateApplicationInput!) {
      updateApplication(input: $input) {
        application { status dateApplied version }
        userErrors { code message currentVersion }
      }
    }`,
    variables: {
      input: { id: application.id, expectedVersion: application.version, status: 'APPLIED' },
    },
  }),
});
const { data, errors } = await response.json();
if (errors || data.updateApplication.userErrors.length > 0) throw new Error(JSON.stringify(errors ?? data));
console.log('fetch moved it', data.updateApplication.application);
