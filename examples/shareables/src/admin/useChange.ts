// A change that only the admin makes: it needs the server, and is not kept for later.

import { CombinedGraphQLErrors, type OperationVariables, type TypedDocumentNode } from '@apollo/client';
import { useCallback, useState } from 'react';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { client } from '../api/client';
import { said, words } from '../api/opening';

interface Payload {
  readonly userErrors: readonly { readonly message: string }[];
}

/** Sends a change, and says what became of it. Answers its data if it was made. */
export function useChange(shortId: string) {
  const notices = useNotices();
  const [busy, setBusy] = useState(false);
  const change = useCallback(
    async <Data, Variables extends OperationVariables>(
      mutation: TypedDocumentNode<Data, Variables>,
      variables: NoInfer<Variables>,
      done: string,
    ): Promise<Data | null> => {
      setBusy(true);
      try {
        const { data } = await client.mutate({
          mutation: mutation as TypedDocumentNode<Data, OperationVariables>,
          variables,
          context: { shareable: shortId },
          refetchQueries: ['Shareable'],
        });
        const payload = Object.values(data ?? {}).find((each): each is Payload => typeof each === 'object' && each !== null);
        if (payload && payload.userErrors.length === 0) {
          notices.say(done);
          return data as Data;
        }
        notices.warn(words(payload?.userErrors));
      } catch (error) {
        notices.warn(CombinedGraphQLErrors.is(error) ? said(error.errors[0]?.message ?? '') : 'The server does not answer.');
      } finally {
        setBusy(false);
      }
      return null;
    },
    [shortId, notices],
  );
  return { busy, change };
}
