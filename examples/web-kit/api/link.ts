// How operations are sent: signed, by the hash that the build wrote down, and again if they did not get through.

import { ApolloLink, CombinedGraphQLErrors, HttpLink } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import type { DocumentNode } from 'graphql';

import { ask } from './answer';
import { completed, credential, refuse } from './credentials';
import { lookBy, retry } from './network';
import { readable } from './readable';
import { setReadOnly } from './readOnly';

declare module '@apollo/client' {
  interface DefaultContext {
    /** What the operation was signed with. */
    credential?: string | null;
  }
}

const signed = new SetContextLink(({ headers }) => {
  const sign = () => {
    const key = credential();
    return {
      credential: key,
      ...(key && { headers: { ...headers, authorization: `Bearer ${key}` } }),
    };
  };
  // What is asked while the person comes back from the identity provider is asked as who they are.
  return completed ? completed.then(sign) : sign();
});

const refused = new ErrorLink(({ error, operation }) => {
  if (!CombinedGraphQLErrors.is(error)) return;
  if (error.errors.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED')) {
    void refuse(operation.getContext().credential ?? null);
  }
  const isRefused = error.errors.some(({ extensions }) => extensions?.['code'] === 'FORBIDDEN');
  // From now on the page offers nothing that such a credential may not do.
  if (isRefused && operation.operationType === 'mutation') setReadOnly(true);
});

/** Who sends: what is done with a refusal, and what each request is signed with. */
export interface Signing {
  readonly refused: ApolloLink;
  readonly signed: ApolloLink;
}

/** By the API key or token of the person. */
const BY_CREDENTIAL: Signing = { refused, signed };

/**
 * Sends the hash that the build wrote down. A server that was not given the documents says so once, and
 * gets them whole from then on: the build hashes them in another spelling than is sent, so that such a
 * server could not learn them by these hashes.
 */
const persisted = new PersistedQueryLink({
  generateHash: hashOf,
  disable: ({ meta }) => meta.persistedQueryNotFound || meta.persistedQueryNotSupported,
});

/** The name under which the build wrote a document down. */
export function hashOf(document: DocumentNode): string {
  const meta = '__meta__' in document ? document.__meta__ : undefined;
  if (typeof meta === 'object' && meta !== null && 'hash' in meta && typeof meta.hash === 'string') {
    return meta.hash;
  }
  throw new Error('this document was not written down by the build');
}

/** The way of operations to an endpoint, past the page's own links `first`. */
export function makeLink(endpoint: string, first: readonly ApolloLink[] = [], who: Signing = BY_CREDENTIAL): ApolloLink {
  lookBy((signal) => {
    const key = credential();
    const headers = { accept: 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
    return ask(`${endpoint}?query=%7B__typename%7D`, { cache: 'no-store', headers, signal });
  });
  const rest = [readable, who.refused, retry, who.signed, persisted, new HttpLink({ uri: endpoint, fetch: ask })];
  return ApolloLink.from([...first, ...rest]);
}
