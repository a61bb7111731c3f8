// Apollo Client 4 against the applications service: the normalised cache, Relay pages, an
// optimistic update, automatic persisted queries over GET, and the error codes.

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
} from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { filter, firstValueFrom } from 'rxjs';
import { endpoint } from './harness.mjs';

const CREATE = gql`
  mutation CreateApplication($input: CreateApplicationInput!) {
    createApplication(input: $input) {
      application {
        id
        companyName
        status
      }
      userErrors {
        code
        message
        field
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
        message
        field
        currentVersion
      }
    }
  }
`;

const LIST = gql`
  query Applications($first: Int, $after: String) {
    applications(first: $first, after: $after) {
      edges {
        cursor
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

const DETAIL = gql`
  query Application($id: ID!) {
    application(id: $id) {
      id
      companyName
      status
    }
  }
`;

/** Every request that left a client: method and URL. */
const requests = [];

/** What requests wait for before they leave. */
let gate = Promise.resolve();

async function recordingFetch(input, options) {
  requests.push({ method: options.method, url: new URL(input) });
  await gate;
  return fetch(input, options);
}

function client() {
  const persisted = new PersistedQueryLink({
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    useGETForHashedQueries: true,
  });
  const http = new HttpLink({ uri: endpoint(), fetch: recordingFetch });
  return new ApolloClient({
    link: ApolloLink.from([persisted, http]),
    cache: new InMemoryCache({
      typePolicies: { Query: { fields: { applications: relayStylePagination() } } },
    }),
  });
}

/** Creates `count` applications and answers their ids. */
async function createMany(apollo, count) {
  const ids = [];
  for (let number = 1; number <= count; number += 1) {
    const input = { companyName: `Apollo ${number}`, positionTitle: 'Pilot', status: 'APPLIED' };
    const { data } = await apollo.mutate({ mutation: CREATE, variables: { input } });
    assert.deepEqual(data.createApplication.userErrors, []);
    assert.equal(data.createApplication.application.companyName, input.companyName);
    ids.push(data.createApplication.application.id);
  }
  return ids;
}

/** The data of a watched query as soon as all of it is there and fits `condition`. */
async function complete(watched, condition = () => true) {
  const { data } = await firstValueFrom(
    watched.pipe(filter((result) => result.dataState === 'complete' && condition(result.data))),
  );
  return data;
}

async function pagesMergeIntoOneList(apollo, ids) {
  const list = apollo.watchQuery({ query: LIST, variables: { first: 2 } });
  const subscription = list.subscribe(() => {});
  let page = await complete(list);
  assert.equal(page.applications.edges.length, 2);
  let pages = 1;
  let total = 2;
  while (page.applications.pageInfo.hasNextPage) {
    const after = page.applications.pageInfo.endCursor;
    page = (await list.fetchMore({ variables: { after } })).data;
    pages += 1;
    total += page.applications.edges.length;
  }
  // The watcher hears of the last page a moment after `fetchMore` answers.
  const merged = await complete(list, (data) => data.applications.edges.length === total);
  const listed = merged.applications.edges.map(({ node }) => node.id);
  subscription.unsubscribe();
  assert(pages >= 3, `${pages} pages`);
  assert.equal(new Set(listed).size, listed.length, 'an application is listed twice');
  // In any order here: several may have been made in the same millisecond.
  assert.deepEqual(ids.filter((id) => !listed.includes(id)), []);
}

async function updateShowsBeforeItIsAnswered(apollo, id) {
  // In the cache before it is watched: a watcher that is still loading is not told of updates.
  await apollo.query({ query: DETAIL, variables: { id } });
  const watched = apollo.watchQuery({ query: DETAIL, variables: { id } });
  const subscription = watched.subscribe();
  const named = (name) => complete(watched, (data) => data.application.companyName === name);
  // The update leaves the client only when its outcome is on the screen.
  gate = named('Optimistic');
  await apollo.mutate({
    mutation: UPDATE,
    variables: { input: { id, companyName: 'From the server' } },
    optimisticResponse: {
      updateApplication: {
        __typename: 'UpdateApplicationPayload',
        application: { __typename: 'Application', id, companyName: 'Optimistic' },
        userErrors: [],
      },
    },
  });
  await named('From the server');
  subscription.unsubscribe();
}

/** The update above reached the one normalised object that list and detail share. */
function cacheHoldsEachApplicationOnce(apollo, id) {
  const cache = apollo.cache.extract();
  assert.equal(cache[`Application:${id}`].companyName, 'From the server');
  const { applications } = apollo.cache.readQuery({ query: LIST, variables: { first: 2 } });
  const listed = applications.edges.find(({ node }) => node.id === id);
  assert.equal(listed.node.companyName, 'From the server');
}

async function secondClientGetsByHashAlone(id) {
  const variables = { id };
  // The first client may or may not have been the first to send this document: now it is known.
  await client().query({ query: DETAIL, variables });
  requests.length = 0;
  const { data } = await client().query({ query: DETAIL, variables });
  assert.equal(data.application.id, id);
  assert.equal(requests.length, 1, 'the hash was not known');
  assert.equal(requests[0].method, 'GET');
  assert.equal(requests[0].url.searchParams.get('query'), null);
  const extensions = JSON.parse(requests[0].url.searchParams.get('extensions'));
  assert.match(extensions.persistedQuery.sha256Hash, /^[0-9a-f]{64}$/u);
}

async function unknownHashIsSentAgainWithItsDocument() {
  requests.length = 0;
  const alias = `fresh_${randomUUID().replaceAll('-', '')}`;
  const fresh = gql(`query Fresh { ${alias}: applications(first: 1) { edges { node { id } } } }`);
  const { data } = await client().query({ query: fresh });
  assert.equal(data[alias].edges.length, 1);
  assert.deepEqual(
    requests.map(({ method }) => method),
    ['GET', 'POST'],
  );
}

async function codeOf(promise) {
  try {
    await promise;
  } catch (error) {
    assert(CombinedGraphQLErrors.is(error), `not a GraphQL error: ${error}`);
    return error.errors[0].extensions?.code;
  }
  assert.fail('no error');
}

async function errorsHaveCodes(apollo, id) {
  const unknownField = gql`
    query Unknown {
      noSuchField
    }
  `;
  assert.equal(await codeOf(client().query({ query: unknownField })), 'GRAPHQL_VALIDATION_FAILED');
  const tooMany = client().query({ query: LIST, variables: { first: 101 } });
  assert.equal(await codeOf(tooMany), 'BAD_USER_INPUT');

  const blank = { companyName: '', positionTitle: 'Pilot', status: 'APPLIED' };
  const refused = await apollo.mutate({ mutation: CREATE, variables: { input: blank } });
  assert.equal(refused.data.createApplication.application, null);
  const [userError] = refused.data.createApplication.userErrors;
  assert.equal(userError.code, 'REQUIRED');
  assert.deepEqual(userError.field, ['companyName']);

  const stale = { id, companyName: 'Too late', expectedVersion: 999 };
  const lost = await apollo.mutate({ mutation: UPDATE, variables: { input: stale } });
  const [conflict] = lost.data.updateApplication.userErrors;
  assert.equal(conflict.code, 'CONFLICT');
  assert.equal(typeof conflict.currentVersion, 'number');
}

const apollo = client();
const ids = await createMany(apollo, 5);
await pagesMergeIntoOneList(apollo, ids);
await updateShowsBeforeItIsAnswered(apollo, ids[0]);
cacheHoldsEachApplicationOnce(apollo, ids[0]);
await secondClientGetsByHashAlone(ids[1]);
await unknownHashIsSentAgainWithItsDocument();
await errorsHaveCodes(apollo, ids[2]);
console.log('Apollo Client: cache, pages, optimistic update, persisted queries and errors work');
