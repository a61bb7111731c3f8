// How every change of an application is sent: on the version that the person sees, placed in the
// lists when it is made, and brought before the person where it is refused.

import { CombinedGraphQLErrors, type TypedDocumentNode, type Unmasked } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useCallback } from 'react';

import type { PlacedFragment } from '../gql/graphql';
import { useNotices } from '../ui/notices';
import { said } from '../ui/words';
import { readPlaced, settle } from './lists';

/** What all payloads of mutations have in common. */
interface Payload {
  readonly application: PlacedFragment | null;
  readonly userErrors: readonly { readonly code: string; readonly message: string }[];
}

/** A change that a person wants. */
export interface Change<TData, TVariables extends { input: object }> {
  /** The id of the application that changes, or whose stage does. */
  readonly application: string;
  /** What the person wants, as a sentence's end: `move it to Interviewing`. */
  readonly wish: string;
  readonly mutation: TypedDocumentNode<TData, TVariables>;
  readonly variables: (expectedVersion: number) => TVariables;
  readonly payload: (data: Unmasked<TData>) => Payload | null | undefined;
  /** What will most likely be answered, shown until it is. */
  readonly optimistic?: Unmasked<TData>;
}

/** What became of a change; the person has been told, or is asked what shall become of it. */
export type Outcome = 'made' | 'asked' | 'refused' | 'lost';

/** Sends changes. */
export function useSend() {
  const client = useApolloClient();
  const notices = useNotices();

  return useCallback(
    async function send<TData, TVariables extends { input: object }>(
      change: Change<TData, TVariables>,
    ): Promise<Outcome> {
      const { application, wish, payload } = change;
      const before = readPlaced(client.cache, application);
      if (!before) return 'lost';
      const again = () => void send(change);
      let answer: Payload | null | undefined;
      try {
        await client.mutate<TData, { input: object }>({
          mutation: change.mutation as TypedDocumentNode<TData, { input: object }>,
          variables: change.variables(before.version),
          context: { application },
          ...(change.optimistic && { optimisticResponse: change.optimistic }),
          update: (cache, { data }) => {
            answer = data ? payload(data) : null;
            settle(cache, before, answer?.application);
          },
        });
      } catch (error) {
        if (CombinedGraphQLErrors.is(error)) {
          notices.warn(error.errors.map(({ message }) => said(message)).join(' '));
          return 'refused';
        }
        notices.warn('This could not be saved: the server does not answer.', {
          label: 'Try again',
          run: again,
        });
        return 'lost';
      }
      if (answer?.application) return 'made';
      const problems = answer?.userErrors ?? [];
      if (problems.some(({ code }) => code === 'CONFLICT')) {
        notices.ask({ seen: before, wish, again });
        return 'asked';
      }
      notices.warn(problems.map(({ message }) => said(message)).join(' ') || 'This was not saved.');
      return 'refused';
    },
    [client, notices],
  );
}
