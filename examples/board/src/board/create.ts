// Adding an application: its card is there at once, and is sent as soon as the server can be reached.

import { type ApolloCache, CombinedGraphQLErrors, type Unmasked } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useCallback } from 'react';
import { keep, type Ticket } from 'trestle-web-kit/api/queue';

import { namesOf, PLACED, settle } from '../api/lists';
import { showPending } from '../api/pending';
import { graphql } from '../gql';
import type { CreateApplicationInput, QuickAddMutation } from '../gql/graphql';
import { Card } from './Card';

export const Create = graphql(`
  mutation QuickAdd($input: CreateApplicationInput!) {
    createApplication(input: $input) {
      application {
        id
        createdAt
        ...OnBoard
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

/** An application that has its id. */
export type NewApplication = CreateApplicationInput & { readonly id: string };

type Problems = NonNullable<QuickAddMutation['createApplication']>['userErrors'];

/**
 * The result: what is wrong with the input if it was refused. `refused` is why the whole request was, and `lost` that the
 * server did not answer.
 */
export type Created =
  | { readonly now: 'made' }
  | { readonly now: 'invalid'; readonly problems: Problems }
  | { readonly now: 'refused'; readonly message: string }
  | { readonly now: 'lost' };

/** Adds an application. Its card is shown before the answer only if `shown`. */
export function useCreate() {
  const client = useApolloClient();
  return useCallback(
    async (input: NewApplication, shown: boolean, earlier?: Ticket): Promise<Created> => {
      const name = `${input.companyName}, ${input.positionTitle}`;
      const change = { mutation: 'QuickAdd', input: { ...input }, application: input.id, name, seen: null, sets: {} };
      const ticket = earlier ?? keep({ ...change, wish: `add ${name}` });
      const hide = shown ? show(client.cache, input) : () => {};
      try {
        const { data } = await client.mutate({
          mutation: Create,
          variables: { input },
          context: { application: input.id, kept: true },
          update: (cache, { data: made }) => settle(cache, null, made?.createApplication?.application),
        });
        ticket.end();
        const problems = data?.createApplication?.userErrors ?? [];
        return problems.length > 0 ? { now: 'invalid', problems } : { now: 'made' };
      } catch (error) {
        // What nobody has decided stays stored.
        if (!CombinedGraphQLErrors.is(error)) return { now: 'lost' };
        ticket.end();
        return { now: 'refused', message: error.message };
      } finally {
        hide();
      }
    },
    [client],
  );
}

let last = 0;

/** Shows the card that will most likely be made, until the answered function is called. */
function show(cache: ApolloCache, input: NewApplication): () => void {
  last += 1;
  const layer = `create ${last}`;
  const write = () => {
    cache.writeQuery({ query: Create, id: 'ROOT_MUTATION', variables: { input }, data: likely(input) });
  };
  cache.recordOptimisticTransaction(write, layer);
  const hide = showPending(input.id, {});
  return () => {
    hide();
    cache.removeOptimistic(layer);
  };
}

/** What will most likely be answered. Its version is that of a change which follows it at once; the first answer has 1. */
function likely(input: NewApplication): Unmasked<QuickAddMutation> {
  const now = new Date().toISOString();
  const application = {
    ...Object.fromEntries([...PLACED, ...namesOf(Card)].map((name) => [name, null])),
    ...{ __typename: 'Application', version: 0, status: 'UNSUBMITTED', isArchived: false, interviewStages: [] },
    ...{ statusSince: now, createdAt: now, updatedAt: now },
    ...input,
  };
  const payload = { __typename: 'CreateApplicationPayload', application, userErrors: [] };
  return { __typename: 'Mutation', createApplication: payload } as unknown as Unmasked<QuickAddMutation>;
}
