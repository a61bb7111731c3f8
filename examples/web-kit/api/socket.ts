// The WebSocket of live changes: it connects again by itself, and notices a network that is gone without a word.

import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import type { DocumentNode } from 'graphql';
import { type Client, createClient } from 'graphql-ws';

import { RENEWED, SIGNED_IN } from './credentials';
import { hashOf } from './link';
import { REACHED, setFollowing } from './network';

/** The longest wait before another try to connect, in milliseconds. */
const LONGEST_MS = 30_000;
/** How often an idle connection is tested, and how long the answer may take, in milliseconds. */
const PING_MS = 10_000;
const PONG_MS = 2000;
/** How long a connection on which nothing is followed stays open, in milliseconds. */
const STAY_MS = 86_400_000;

/** A WebSocket to an endpoint of the server. `connected` is called with whether it was connected before. */
export function openSocket(
  endpoint: string,
  authorization: () => string | null | Promise<string | null>,
  connected: (again: boolean) => void,
): Client {
  let connections = 0;
  let unanswered: ReturnType<typeof setTimeout> | undefined;
  const socket = createClient({
    url: new URL(endpoint, window.location.href).href.replace(/^http/u, 'ws'),
    connectionParams: async () => {
      const key = await authorization();
      return key ? { authorization: `Bearer ${key}` } : {};
    },
    retryAttempts: Infinity,
    shouldRetry: () => true,
    retryWait: wait,
    keepAlive: PING_MS,
    lazyCloseTimeout: STAY_MS,
    on: {
      ping: (received) => {
        // A network that is gone without a word closes no connection.
        if (!received) unanswered = setTimeout(() => socket.terminate(), PONG_MS);
      },
      pong: (received) => {
        if (received) clearTimeout(unanswered);
      },
      closed: () => {
        clearTimeout(unanswered);
        setFollowing(false);
      },
      connected: () => {
        connections += 1;
        connected(connections > 1);
      },
    },
  });
  // The server ends a connection whose token has ended: before that, it gets the new one.
  const over = new AbortController();
  window.addEventListener(RENEWED, () => socket.terminate(), { signal: over.signal });
  const dispose = () => {
    over.abort();
    return socket.dispose();
  };
  return { ...socket, dispose };
}

/**
 * Sends operations over a socket. Names each document as the build did, and sends it along: a server that trusts it knows
 * the name, and any other reads the document. There is no second question as over HTTP.
 */
export function linkOver(socket: Client, documents: readonly DocumentNode[]): GraphQLWsLink {
  const hashes = new Map(documents.map((document) => [nameOf(document), hashOf(document)]));
  const subscribe: Client['subscribe'] = (payload, sink) => {
    const named = { ...payload, documentId: hashes.get(payload.operationName ?? '') };
    return socket.subscribe(named, sink);
  };
  return new GraphQLWsLink({ ...socket, subscribe });
}

/** The name of the operation of a document. */
export function nameOf({ definitions }: DocumentNode): string {
  const operation = definitions.find((definition) => definition.kind === 'OperationDefinition');
  return operation?.name?.value ?? '';
}

/** Waits before another try, but no longer than until there is a network again or another credential. */
export function wait(tries: number): Promise<void> {
  const longest = Math.min(LONGEST_MS, 500 * 2 ** tries);
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = () => {
      clearTimeout(timer);
      over.abort();
      resolve();
    };
    const timer = setTimeout(end, longest * (0.5 + Math.random() / 2));
    for (const event of ['online', REACHED, SIGNED_IN]) {
      window.addEventListener(event, end, { signal: over.signal });
    }
  });
}
