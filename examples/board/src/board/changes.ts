// The changes of a card on the board: each shows at once, and is taken back if the server refuses it.

import type { ApolloCache } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useMemo } from 'react';
import { today } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { useSend } from '../api/change';
import { graphql } from '../gql';
import type { ApplicationStatus } from '../gql/graphql';
import { STATUS_WORDS } from '../ui/words';

/** Everything that the board knows of an application. */
export const OnBoard = graphql(`
  fragment OnBoard on Application {
    ...Placed
    ...Card
  }
`);

export const Move = graphql(`
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

export const Archive = graphql(`
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

export const Unarchive = graphql(`
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

/** What the cache holds of it, with changes that are still on their way. */
export function readOnBoard(cache: ApolloCache, id: string) {
  const from = cache.identify({ __typename: 'Application', id });
  return cache.readFragment({
    fragment: OnBoard,
    fragmentName: 'OnBoard',
    id: from,
    optimistic: true,
  });
}

/** The changes of a card. Each resolves when the server has answered and the person was informed. */
export function useChanges() {
  const { cache } = useApolloClient();
  const notices = useNotices();
  const send = useSend();

  return useMemo(() => {
    async function move(id: string, status: ApplicationStatus): Promise<void> {
      const card = readOnBoard(cache, id);
      if (!card || card.status === status) return;
      // The day is the person's: the server would take its own.
      const sent = card.status === 'UNSUBMITTED' ? (card.dateApplied ?? today()) : card.dateApplied;
      const dateApplied = status === 'UNSUBMITTED' ? null : sent;
      await put(card, status, dateApplied, () => void put({ ...card, status }, card.status, card.dateApplied));
    }

    /** Gives the card a status and its date; `undo` takes that back. */
    async function put(
      card: NonNullable<ReturnType<typeof readOnBoard>>,
      status: ApplicationStatus,
      dateApplied: string | null,
      undo?: () => void,
    ): Promise<void> {
      const { id } = card;
      const now = readOnBoard(cache, id) ?? card;
      const updatedAt = new Date().toISOString();
      const done = notices.say(
        `${card.companyName} moved to ${STATUS_WORDS[status]}`,
        undo && { label: 'Undo', run: undo },
      );
      const outcome = await send({
        application: id,
        wish: `move it to ${STATUS_WORDS[status]}`,
        sets: { status },
        mutation: Move,
        variables: (expectedVersion) => ({
          input: {
            id,
            expectedVersion,
            status,
            ...(status !== 'UNSUBMITTED' && dateApplied !== now.dateApplied && { dateApplied }),
          },
        }),
        payload: (data) => data.updateApplication,
        optimistic: {
          __typename: 'Mutation',
          updateApplication: {
            __typename: 'UpdateApplicationPayload',
            application: { ...now, status, dateApplied, updatedAt, statusSince: updatedAt },
            userErrors: [],
          },
        },
      });
      if (outcome !== 'made') done();
    }

    async function archive(id: string): Promise<void> {
      const card = readOnBoard(cache, id);
      if (!card) return;
      const done = notices.say(`${card.companyName} archived`, {
        label: 'Undo',
        run: () => void unarchive(id),
      });
      const outcome = await send({
        application: id,
        wish: 'archive it',
        sets: { isArchived: 'true' },
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
      if (outcome !== 'made') done();
    }

    async function unarchive(id: string): Promise<void> {
      const card = readOnBoard(cache, id);
      if (!card) return;
      await send({
        application: id,
        wish: 'take it out of the archive',
        sets: { isArchived: 'false' },
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
