// What can be done with a card where it lies: each shows at once, and is taken back where the server
// refuses it.

import type { ApolloCache } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useMemo } from 'react';

import { useSend } from '../api/change';
import { graphql } from '../gql';
import type { ApplicationStatus } from '../gql/graphql';
import { useNotices } from '../ui/notices';
import { STATUS_WORDS, today } from '../ui/words';

/** Everything that the board knows of an application. */
export const OnBoard = graphql(`
  fragment OnBoard on Application {
    ...Placed
    ...Card
  }
`);

const Move = graphql(`
  mutation MoveApplication($input: UpdateApplicationInput!) {
    updateApplication(input: $input) {
      application {
        id
        ...OnBoard
      }
      userErrors {
        code
        message
      }
    }
  }
`);

const Archive = graphql(`
  mutation ArchiveApplication($input: ArchiveApplicationInput!) {
    archiveApplication(input: $input) {
      application {
        id
        ...OnBoard
      }
      userErrors {
        code
        message
      }
    }
  }
`);

const Unarchive = graphql(`
  mutation UnarchiveApplication($input: UnarchiveApplicationInput!) {
    unarchiveApplication(input: $input) {
      application {
        id
        ...OnBoard
      }
      userErrors {
        code
        message
      }
    }
  }
`);

function readOnBoard(cache: ApolloCache, id: string) {
  const from = cache.identify({ __typename: 'Application', id });
  return cache.readFragment({
    fragment: OnBoard,
    fragmentName: 'OnBoard',
    id: from,
    optimistic: true,
  });
}

/** The changes of a card. Each resolves when the server has answered and the person has been told. */
export function useChanges() {
  const { cache } = useApolloClient();
  const notices = useNotices();
  const send = useSend();

  return useMemo(() => {
    async function move(id: string, status: ApplicationStatus): Promise<void> {
      const card = readOnBoard(cache, id);
      if (!card || card.status === status) return;
      const dateApplied = status === 'UNSUBMITTED' ? null : (card.dateApplied ?? today());
      const updatedAt = new Date().toISOString();
      await send({
        application: id,
        wish: `move it to ${STATUS_WORDS[status]}`,
        mutation: Move,
        variables: (expectedVersion) => ({ input: { id, expectedVersion, status } }),
        payload: (data) => data.updateApplication,
        optimistic: {
          __typename: 'Mutation',
          updateApplication: {
            __typename: 'UpdateApplicationPayload',
            application: { ...card, status, dateApplied, updatedAt },
            userErrors: [],
          },
        },
      });
    }

    async function archive(id: string): Promise<void> {
      const card = readOnBoard(cache, id);
      if (!card) return;
      notices.say(`${card.companyName} archived`, {
        label: 'Undo',
        run: () => void unarchive(id),
      });
      await send({
        application: id,
        wish: 'archive it',
        mutation: Archive,
        variables: (expectedVersion) => ({ input: { id, expectedVersion } }),
        payload: (data) => data.archiveApplication,
        optimistic: {
          __typename: 'Mutation',
          archiveApplication: {
            __typename: 'ArchiveApplicationPayload',
            application: { ...card, isArchived: true },
            userErrors: [],
          },
        },
      });
    }

    async function unarchive(id: string): Promise<void> {
      const card = readOnBoard(cache, id);
      if (!card) return;
      await send({
        application: id,
        wish: 'take it out of the archive',
        mutation: Unarchive,
        variables: (expectedVersion) => ({ input: { id, expectedVersion } }),
        payload: (data) => data.unarchiveApplication,
        optimistic: {
          __typename: 'Mutation',
          unarchiveApplication: {
            __typename: 'UnarchiveApplicationPayload',
            application: { ...card, isArchived: false },
            userErrors: [],
          },
        },
      });
    }

    return { move, archive, unarchive };
  }, [cache, notices, send]);
}
