// Normalised caches through every mutation: what an open page shows afterwards is what a fresh read answers. The caches are set up as
// docs/front-end.md says.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { cacheExchange } from '@urql/exchange-graphcache';
import { Client, fetchExchange } from '@urql/core';
import { endpoint, send } from './harness.mjs';

const SHOWN = `fragment Shown on Application {
  id version companyName status dateApplied notes isArchived updatedAt statusSince
  interviewStages { id name order isCompleted completedDate }
  contacts { id name } files { id name }
  history(first: 2) { edges { node { id description } } }
}`;
const DETAIL = `query Detail($id: ID!) { application(id: $id) { ...Shown } } ${SHOWN}`;
const APPLICATION = 'application { ...Shown }';
const RESULTS = `results { ${APPLICATION} userErrors { code } }`;
const BASE = { companyName: 'Visa', positionTitle: 'Engineer', status: 'APPLIED' };

const page = readFileSync(new URL('../../docs/front-end.md', import.meta.url), 'utf8');

/** What Apollo Client needs, as the documentation has it. */
function documentedCache() {
  const [, code] = /```ts\nimport \{ InMemoryCache[\s\S]*?\n\n(export const cache[\s\S]*?)```/u.exec(page);
  const body = code.replace('export const cache =', 'return');
  return new Function('InMemoryCache', 'relayStylePagination', body)(InMemoryCache, relayStylePagination);
}

/** What Graphcache needs, as the documentation has it. */
function documentedKeys() {
  const [, code] = /```js\n(const PARTS[\s\S]*?)```/u.exec(page);
  return new Function(code.replace('export const keys =', 'return'))();
}

function apollo() {
  const client = new ApolloClient({ link: new HttpLink({ uri: endpoint() }), cache: documentedCache() });
  return {
    name: 'Apollo Client',
    show: (id) => client.query({ query: gql(DETAIL), variables: { id } }),
    shown: (id) => client.readQuery({ query: gql(DETAIL), variables: { id } })?.application ?? null,
    async mutate(document, input, deleted) {
      const { data } = await client.mutate({
        mutation: gql(document),
        variables: { input },
        update(cache) {
          for (const id of deleted) cache.evict({ id: cache.identify({ __typename: 'Application', id }) });
        },
      });
      return data;
    },
  };
}

function graphcache() {
  const remove = (name, ids) => (result, _args, cache) => {
    for (const id of ids(result[name])) cache.invalidate({ __typename: 'Application', id });
  };
  const exchange = cacheExchange({
    keys: documentedKeys(),
    updates: {
      Mutation: {
        deleteApplication: remove('deleteApplication', ({ deletedApplicationId }) => [deletedApplicationId]),
        deleteApplications: remove('deleteApplications', ({ results }) => results.map((result) => result.deletedApplicationId)),
      },
    },
  });
  const client = new Client({ url: endpoint(), exchanges: [exchange, fetchExchange] });
  return {
    name: 'Graphcache',
    show: (id) => client.query(DETAIL, { id }).toPromise(),
    shown: (id) => client.readQuery(DETAIL, { id })?.data?.application ?? null,
    async mutate(document, input) {
      const { data, error } = await client.mutation(document, { input }).toPromise();
      assert.equal(error, undefined, String(error));
      return data;
    },
  };
}

function bare(value) {
  return JSON.parse(JSON.stringify(value ?? null, (key, inner) => (key === '__typename' ? undefined : inner)));
}

/** The steps of an application's life: the mutation, what its payload selects, and its input. Each mutation is in one of them. */
function steps({ id, other, now }) {
  const of = { applicationId: id };
  const contactId = crypto.randomUUID();
  const stage = () => now().interviewStages[0].id;
  return [
    ['updateApplication', APPLICATION, () => ({ id, notes: 'called' })],
    ['updateApplications', RESULTS, () => ({ applications: [{ id, status: 'INTERVIEWING' }] })],
    ['addInterviewStage', APPLICATION, () => ({ ...of, name: 'Phone' })],
    ['addInterviewStage', APPLICATION, () => ({ ...of, name: 'On site' })],
    ['updateInterviewStage', APPLICATION, () => ({ id: stage(), name: 'Video' })],
    ['completeInterviewStage', APPLICATION, () => ({ id: stage() })],
    ['reorderInterviewStages', APPLICATION, () => ({ ...of, stageIds: now().interviewStages.map((one) => one.id).reverse() })],
    ['removeInterviewStage', APPLICATION, () => ({ id: stage() })],
    ['addContact', APPLICATION, () => ({ ...of, contactId, name: 'Ann' })],
    ['updateContact', APPLICATION, () => ({ ...of, contactId, name: 'Bea' })],
    ['removeContact', APPLICATION, () => ({ ...of, contactId })],
    ['archiveApplication', APPLICATION, () => ({ id })],
    ['unarchiveApplication', APPLICATION, () => ({ id })],
    ['archiveApplications', RESULTS, () => ({ ids: [id] })],
    ['unarchiveApplications', RESULTS, () => ({ ids: [id] })],
    ['restoreApplication', APPLICATION, () => ({ id, sequence: 2 })],
    ['createApplication', APPLICATION, () => BASE],
    ['createApplications', RESULTS, () => ({ applications: [BASE] })],
    ['importApplications', `rows { ${APPLICATION} userErrors { code } }`, () => ({
      update: true,
      rows: [{ application: { ...BASE, id, location: 'Bern' } }],
    })],
    ['createFileUpload', 'upload { uploadId url headers { name value } }', () => ({ ...of, contentType: 'text/plain', bytes: 2 })],
    ['addFile', APPLICATION, ({ createFileUpload }) => ({ ...of, uploadId: createFileUpload.upload.uploadId, name: 'a.txt' })],
    ['removeFile', APPLICATION, ({ addFile }) => ({ ...of, fileId: addFile.file.fileId })],
    ['createCalendarAddress', '', () => ({})],
    ['renewCalendarAddress', '', () => ({})],
    ['revokeCalendarAddress', '', () => ({})],
    ['deleteApplications', 'results { deletedApplicationId userErrors { code } }', () => ({ ids: [other] }), [other]],
    ['deleteApplication', 'deletedApplicationId', () => ({ id }), [id]],
  ];
}

const { __schema } = await send(endpoint(), '{ __schema { mutationType { fields { name } } types { kind name fields { name } } } }');
const mutations = __schema.mutationType.fields.map(({ name }) => name);

// Graphcache asks for a key of each object without an id, but of those that it knows, and of what is not read again.
const known = /^(?:_.*|Query|Mutation|Subscription|PageInfo|.*(?:Payload|Connection|Edge))$/u;
const parts = __schema.types.filter(({ kind, name, fields }) => kind === 'OBJECT' && !known.test(name) && fields.every((field) => field.name !== 'id'));
assert.deepEqual(Object.keys(documentedKeys()).sort(), parts.map(({ name }) => name).sort(), 'the parts that docs/front-end.md names');

/** A list whose length alone is known has no rows for a page that shows it. */
async function lengthThenRows() {
  const client = new ApolloClient({ link: new HttpLink({ uri: endpoint() }), cache: documentedCache() });
  const list = gql('query List($first: Int!) { applications(first: $first) { totalCount edges { node { id } } } }');
  for (const first of [0, 1, 2]) {
    const { data } = await client.query({ query: list, variables: { first } });
    assert.equal(data.applications.edges.length, first);
  }
}

for (const cache of [apollo(), graphcache()]) {
  const made = async () => {
    const document = `mutation M($input: CreateApplicationInput!) { createApplication(input: $input) { ${APPLICATION} userErrors { code } } } ${SHOWN}`;
    const data = await cache.mutate(document, BASE, []);
    return data.createApplication.application.id;
  };
  const [id, other] = [await made(), await made()];
  for (const one of [id, other]) await cache.show(one);
  const left = new Set(mutations);
  const answers = {};
  for (const [name, selected, input, deleted = []] of steps({ id, other, now: () => cache.shown(id) })) {
    left.delete(name);
    const type = `${name[0].toUpperCase()}${name.slice(1)}Input`;
    const own = name === 'addFile' ? 'file { fileId }' : '';
    const fragment = selected.includes('Shown') ? SHOWN : '';
    const document = `mutation M($input: ${type}!) { ${name}(input: $input) { ${selected} ${own} userErrors { code message } } } ${fragment}`;
    Object.assign(answers, await cache.mutate(document, input(answers), deleted));
    assert.deepEqual(bare(answers[name].userErrors), [], `${cache.name}, ${name}`);
    if (name === 'createFileUpload') {
      const { url, headers } = answers[name].upload;
      const sent = Object.fromEntries(headers.map((header) => [header.name, header.value]));
      const put = await fetch(url, { method: 'PUT', headers: sent, body: 'hi' });
      assert(put.ok, String(put.status));
    }
    for (const one of [id, other]) {
      const fresh = await send(endpoint(), DETAIL, { id: one });
      assert.deepEqual(bare(cache.shown(one)), fresh.application, `${cache.name} after ${name}`);
    }
  }
  assert.deepEqual([...left], [], 'mutations that no step has');
  console.log(`${cache.name}: every mutation`);
}
await lengthThenRows();
