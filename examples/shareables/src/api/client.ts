// The one Apollo client: requests are signed with the token of the shareable that their context names.

import { ApolloClient, CombinedGraphQLErrors, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { relayStylePagination } from '@apollo/client/utilities';
import { NotReached } from 'trestle-web-kit/api/answer';
import { makeLink } from 'trestle-web-kit/api/link';

import { inTurn } from './inTurn';
import { readAgain } from './readAgain';
import { dropToken, tokenFor } from './session';

/** The API on whatever server serves the page. */
export const ENDPOINT = '/shareables/graphql';

declare module '@apollo/client' {
  interface DefaultContext {
    /** The short id of the shareable that the operation is about. */
    shareable?: string;
    /** Whether the operation was refused before, with another token. */
    again?: boolean;
  }
}

const signed = new SetContextLink(async ({ headers, shareable }) => {
  // What is not sent because a token could not be renewed is not decided by the reason of that.
  const token = shareable ? await tokenFor(shareable).catch((error: unknown) => Promise.reject(new NotReached(error))) : null;
  return { credential: token, ...(token && { headers: { ...headers, authorization: `Bearer ${token}` } }) };
});

/** A token can be refused before it expires: a new passcode voids those of the earlier one. */
const refused = new ErrorLink(({ error, operation, forward }) => {
  const { shareable, credential, again } = operation.getContext();
  if (!shareable || !credential || again || !isUnauthenticated(error)) return undefined;
  dropToken(shareable, credential);
  operation.setContext({ again: true });
  return forward(operation);
});

/** Whether the server does not know who asks. */
export function isUnauthenticated(error: unknown): boolean {
  return (
    CombinedGraphQLErrors.is(error) &&
    error.errors.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED')
  );
}

export const client = new ApolloClient({
  link: makeLink(ENDPOINT, [inTurn, readAgain], { refused, signed }),
  cache: new InMemoryCache({
    possibleTypes: {
      Node: ['Checklist', 'ChecklistItem', 'Poll', 'PollOption'],
      Shareable: ['Checklist', 'Poll'],
    },
    typePolicies: {
      // A list is always whole: what a change leaves out is gone.
      Checklist: { fields: { items: { merge: false }, viewersMay: { merge: false }, devices: relayStylePagination() } },
      Poll: { fields: { devices: relayStylePagination(), options: { merge: false }, votes: { merge: false }, invitations: { merge: false } } },
    },
  }),
  devtools: { enabled: import.meta.env.DEV },
});
