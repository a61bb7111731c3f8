// Adding an application: its card is there at once, and is sent as soon as the server can be reached.

import { type ApolloCache, CombinedGraphQLErrors, type Unmasked } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useCallback } from 'react';
import { keep, type Ticket } from 'trestle-web-kit/api/queue';

import { settle } from '../api/lists';
import { showPending } from '../api/pending';
import { graphql } from '../gql';
import type { CreateApplicationInput, QuickAddMutation } from '../gql/graphql';

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

/** What will most likely be answered. */
function likely(input: NewApplication): Unmasked<QuickAddMutation> {
  const now = new Date().toISOString();
  return {
    __typename: 'Mutation',
    createApplication: {
      __typename: 'CreateApplicationPayload',
      application: {
        __typename: 'Application',
        id: input.id,
        // That of a change which follows it at once; the first answer has 1.
        version: 0,
        status: input.status ?? 'UNSUBMITTED',
        statusSince: now,
        isArchived: false,
        createdAt: now,
        updatedAt: now,
        companyName: input.companyName,
        positionTitle: input.positionTitle,
        companyCategory: null,
        jobSource: input.jobSource ?? null,
        skillsMatch: null,
        dateApplied: input.dateApplied ?? null,
        offerDueDate: null,
        nextAction: null,
        nextActionDate: null,
        salaryMin: null,
        salaryMax: null,
        salaryCurrency: null,
        salaryPeriod: null,
        tags: input.tags ?? null,
        location: input.location ?? null,
        isRemote: input.isRemote ?? null,
        interviewStages: [],
      },
      userErrors: [],
    },
  };
}
