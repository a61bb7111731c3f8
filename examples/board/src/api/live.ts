// Keeps this browser in step with all others: every change comes over one WebSocket and goes into the
// cache, unless the cache knows better already.

import { type ApolloClient, type ApolloLink, execute, type Unmasked } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { type Client, createClient } from 'graphql-ws';

import { OnBoard } from '../board/changes';
import { graphql } from '../gql';
import type { ApplicationChangedSubscription } from '../gql/graphql';
import { hashOf } from './client';
import { credential, SIGNED_IN } from './credentials';
import { forget, readPlaced, settle } from './lists';

const Changed = graphql(`
  subscription ApplicationChanged {
    applicationChanged {
      kind
      applicationId
      version
      application {
        id
        ...OnBoard
      }
    }
  }
`);

const NewestChange = graphql(`
  query NewestChange {
    applications(first: 1) {
      edges {
        node {
          id
          version
        }
      }
    }
  }
`);

type Change = Unmasked<ApplicationChangedSubscription>['applicationChanged'];

/** How long changes have to pause before the counts are read again, in milliseconds. */
const PAUSE_MS = 300;
/** The longest wait before another try to connect, in milliseconds. */
const LONGEST_MS = 30_000;

/**
 * Follows all changes until the answered function is called. After a gap, in which changes may have
 * been missed, everything that is shown is read anew.
 */
export function follow(client: ApolloClient, endpoint: string): () => void {
  let connections = 0;
  const socket = createClient({
    url: new URL(endpoint, window.location.href).href.replace(/^http/u, 'ws'),
    connectionParams: () => {
      const key = credential();
      return key ? { authorization: `Bearer ${key}` } : {};
    },
    retryAttempts: Infinity,
    shouldRetry: () => true,
    retryWait: wait,
    on: {
      connected: () => {
        connections += 1;
        if (connections > 1) readAnew(client);
        else catchUp(client).catch(() => {});
      },
    },
  });
  const link = new GraphQLWsLink({ ...socket, subscribe: byName(socket) });
  let stopped = false;
  let failures = 0;
  let stop = listen();

  function listen(): () => void {
    // Past the client's own cache: what arrives late must not overwrite what is newer.
    const changes = execute(link, { query: Changed }, { client });
    const again = async () => {
      // The server ends a subscription that takes its changes too slowly: that one is taken up at once.
      if (failures > 0) await wait(failures);
      failures += 1;
      if (stopped) return;
      stop = listen();
      readAnew(client);
    };
    const subscription = changes.subscribe({
      next: (result) => {
        failures = 0;
        take(client, result);
      },
      error: () => void again(),
      complete: () => void again(),
    });
    return () => subscription.unsubscribe();
  }

  return () => {
    stopped = true;
    stop();
    void socket.dispose();
  };
}

/**
 * Names the document as the build did, and sends it along: a server that trusts it knows the name, and
 * any other reads the document. There is no second question as over HTTP.
 */
function byName(socket: Client): Client['subscribe'] {
  return (payload, sink) => {
    const named = { ...payload, documentId: hashOf(Changed) };
    return socket.subscribe(named, sink);
  };
}

/** Waits before another try, but no longer than until there is a network again or another credential. */
function wait(tries: number): Promise<void> {
  const longest = Math.min(LONGEST_MS, 500 * 2 ** tries);
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = () => {
      clearTimeout(timer);
      over.abort();
      resolve();
    };
    const timer = setTimeout(end, longest * (0.5 + Math.random() / 2));
    for (const event of ['online', SIGNED_IN]) {
      window.addEventListener(event, end, { signal: over.signal });
    }
  });
}

/**
 * The page was read before its changes were followed. Whether something happened in between shows in
 * the newest change of all, at the price of one small read.
 */
async function catchUp(client: ApolloClient): Promise<void> {
  const { data } = await client.query({ query: NewestChange, fetchPolicy: 'no-cache' });
  const newest = data?.applications?.edges[0]?.node;
  if (!newest) return;
  const known = readPlaced(client.cache, newest.id);
  if (!known || known.version < newest.version) readAnew(client);
}

let recounting: ReturnType<typeof setTimeout> | undefined;

/** The queries of what the server counts, by name: one of them is shown. */
const COUNTS = new Set(['Totals', 'Insight']);

/**
 * Reads the counts again when the changes pause. What is counted here meanwhile can be off: of an
 * application that this browser has not loaded it is not known what it was counted as, and totals on
 * their way may have a change in them or not.
 */
function recount(client: ApolloClient): void {
  clearTimeout(recounting);
  recounting = setTimeout(() => {
    for (const query of client.getObservableQueries('active')) {
      if (COUNTS.has(query.queryName ?? '')) query.refetch().catch(() => {});
    }
  }, PAUSE_MS);
}

function readAnew(client: ApolloClient): void {
  client.refetchQueries({ include: 'active' }).catch(() => {});
}

function take(client: ApolloClient, { data }: ApolloLink.Result): void {
  const change: Change | undefined = data?.['applicationChanged'];
  if (!change) return;
  const { cache } = client;
  const before = readPlaced(cache, change.applicationId);
  recount(client);
  if (change.kind === 'DELETED') {
    if (before) forget(cache, before);
    return;
  }
  const { application } = change;
  if (!application || (before && before.version >= change.version)) return;
  cache.writeFragment({
    fragment: OnBoard,
    fragmentName: 'OnBoard',
    id: cache.identify({ __typename: 'Application', id: application.id }),
    data: application,
  });
  settle(cache, before, application);
  for (const query of client.getObservableQueries('active')) {
    // The open page also shows what changed.
    if (query.queryName === 'Detail' && query.variables['id'] === application.id) {
      query.refetch().catch(() => {});
    }
  }
}
