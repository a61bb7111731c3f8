// Services as subgraphs: Apollo's composition makes one graph of them, and Apollo's gateway answers queries over several
// of them, with entities of one service that another subgraph refers to.
// Arguments: the server's URL, the services that compose, and docs/federation.md, which names the types of the others that clash.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { composeServices } from '@apollo/composition';
import { buildSchema, execute, parse } from 'graphql';
import { createApplication, endpoint, send } from './harness.mjs';

const { ApolloGateway, RemoteGraphQLDataSource } = createRequire(import.meta.url)('@apollo/gateway');

const names = process.argv[3].split(',');
const origin = new URL(endpoint()).origin;
const urlOf = (name) => `${origin}/${name}/graphql`;

async function subgraphs(services) {
  const each = services.map(async (name) => {
    const { _service: service } = await send(urlOf(name), '{ _service { sdl } }');
    return { name, url: urlOf(name), typeDefs: parse(service.sdl) };
  });
  return Promise.all(each);
}

/** A subgraph of the test's own: reminders of applications, whose fields it does not know. */
const REMINDERS = {
  name: 'reminders',
  url: 'test:reminders',
  typeDefs: parse(`
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
    type Query { reminders: [Reminder!]! }
    type Reminder { text: String! application: Application }
    type Application @key(fields: "id", resolvable: false) { id: ID! }
  `),
};

class Reminders {
  constructor(reminders) {
    this.reminders = reminders;
  }

  async process({ request }) {
    const schema = buildSchema(`
      type Query { reminders: [Reminder!]! }
      type Reminder { text: String! application: Application }
      type Application { id: ID! }
    `);
    const rootValue = { reminders: this.reminders };
    return execute({ schema, document: parse(request.query), rootValue });
  }
}

const requests = [];

class Recorded extends RemoteGraphQLDataSource {
  willSendRequest({ request }) {
    requests.push(request.query);
  }
}

async function gateway(services, reminders) {
  const { supergraphSdl, errors } = composeServices([...(await subgraphs(services)), REMINDERS]);
  assert.equal(errors, undefined, errors?.map(({ message }) => message).join('\n'));
  const made = new ApolloGateway({
    supergraphSdl,
    buildService: ({ name, url }) =>
      name === 'reminders' ? new Reminders(reminders) : new Recorded({ url }),
  });
  const { executor } = await made.load();
  const ask = async (query, variables = {}) => {
    const answer = await executor({
      request: { query, variables, http: { headers: new Map() } },
      document: parse(query),
      operationName: undefined,
      queryHash: query,
      context: {},
      cache: new Map(),
      logger: console,
      metrics: {},
      schema: made.schema,
    });
    return answer;
  };
  return { made, ask };
}

const first = await createApplication(urlOf('applications'), 'Acme');
const second = await createApplication(urlOf('applications'), 'Initech');
const missing = '00000000-0000-4000-8000-000000000000';
const reminders = [first, missing, second].map((id, at) => ({
  text: `Reminder ${at}`,
  application: { id },
}));
const { made, ask } = await gateway(names, reminders);

const both = await ask(`{
  applications(first: 5) { edges { node { companyName } } }
  runs(first: 5) { edges { node { runId } } }
}`);
assert.equal(both.errors, undefined, JSON.stringify(both.errors));
assert.equal(both.data.applications.edges.length, 2);
assert.deepEqual(both.data.runs.edges, []);

requests.length = 0;
const joined = await ask(`{
  reminders { text application { id companyName interviewStages { name } } }
}`);
assert.equal(joined.errors, undefined, JSON.stringify(joined.errors));
const companies = joined.data.reminders.map(({ application }) => application?.companyName ?? null);
assert.deepEqual(companies, ['Acme', null, 'Initech']);
// All entities of a page in one request.
assert.equal(requests.length, 1, requests.join('\n'));
assert.match(requests[0], /_entities/u);

// An entity is of its own type alone.
const entities = `query($of: [_Any!]!) {
  _entities(representations: $of) { __typename ... on Application { companyName } }
}`;
const asked = await send(urlOf('applications'), entities, {
  of: [
    { __typename: 'Application', id: first },
    { __typename: 'InterviewStage', id: first },
    { __typename: 'Application', id: missing },
  ],
});
assert.deepEqual(asked._entities, [
  { __typename: 'Application', companyName: 'Acme' },
  null,
  null,
]);
await made.stop();

// collab-hub: with which services it composes, and which names stand in its way with the others.
const clashes = async (services) => {
  const { errors = [] } = composeServices(await subgraphs(services));
  const named = errors.map(({ message }) => {
    const [, type, field] = /"(\w+)(?:\.(\w+))?"/u.exec(message);
    return ['Query', 'Mutation', 'Subscription'].includes(type) ? field : type;
  });
  return [...new Set(named)].sort();
};
assert.deepEqual(await clashes(['collab-hub', 'graph-runs']), []);
const page = await readFile(process.argv[4], 'utf8');
for (const other of ['applications', 'job-board', 'shareables']) {
  const row = new RegExp(`^\\| ${other} \\| (.*) \\|$`, 'mu').exec(page)?.[1] ?? '';
  const documented = [...row.matchAll(/`(\w+)`/gu)].map(([, name]) => name).sort();
  assert.deepEqual(documented, await clashes(['collab-hub', other]), `docs/federation.md, ${other}`);
}
console.log('Apollo composes the services, and its gateway joins them');
