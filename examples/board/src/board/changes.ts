// The changes of a card on the board: each shows at once, and is taken back if the server refuses it.

import type { ApolloCache, Unmasked } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useMemo } from 'react';
import { today } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { useSend } from '../api/change';
import { readPlaced } from '../api/lists';
import { graphql } from '../gql';
import type {
  ApplicationStatus,
  ArchiveApplicationMutation,
  MoveApplicationMutation,
  PlacedFragment,
  UnarchiveApplicationMutation,
} from '../gql/graphql';
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

/** The changes of a card. Each resolves when the server has answered and the person was informed, and is of what they saw. */
export function useChanges() {
  const { cache } = useApolloClient();
  const notices = useNotices();
  const send = useSend();

  return useMemo(() => {
    async function move(id: string, status: ApplicationStatus, seen: PlacedFragment | null = null): Promise<void> {
      const card = readPlaced(cache, id);
      if (!card || card.status === status) return;
      // The day is the person's: the server would take its own.
      const sent = card.status === 'UNSUBMITTED' ? (card.dateApplied ?? today()) : card.dateApplied;
      const dateApplied = status === 'UNSUBMITTED' ? null : sent;
      const undo = () => void put({ card, seen: card, status: card.status, dateApplied: card.dateApplied });
      await put({ card, seen, status, dateApplied }, undo);
    }

    /** Gives the card a status and its date; `undo` takes that back. */
    async function put({ card, seen, status, dateApplied }: Put, undo?: () => void): Promise<void> {
      const { id } = card;
      const now = readPlaced(cache, id) ?? card;
      const updatedAt = new Date().toISOString();
      const done = notices.say(
        `${card.companyName} moved to ${STATUS_WORDS[status]}`,
        undo && { label: 'Undo', run: undo },
      );
      const change = {
        application: id,
        wish: `move it to ${STATUS_WORDS[status]}`,
        sets: { status },
        mutation: Move,
        variables: (expectedVersion: number) => ({
          input: {
            id,
            expectedVersion,
            status,
            ...(status !== 'UNSUBMITTED' && dateApplied !== now.dateApplied && { dateApplied }),
          },
        }),
        payload: (data: Unmasked<MoveApplicationMutation>) => data.updateApplication,
        shown: { status, dateApplied, updatedAt, statusSince: updatedAt },
      };
      if ((await send(change, { seen })) !== 'made') done();
    }

    async function archive(id: string, seen: PlacedFragment | null = null): Promise<void> {
      const card = readPlaced(cache, id);
      if (!card) return;
      const done = notices.say(`${card.companyName} archived`, {
        label: 'Undo',
        run: () => void unarchive(id, card),
      });
      const change = {
        application: id,
        wish: 'archive it',
        sets: { isArchived: 'true' },
        mutation: Archive,
        variables: (expectedVersion: number) => ({ input: { id, expectedVersion } }),
        payload: (data: Unmasked<ArchiveApplicationMutation>) => data.archiveApplication,
        shown: { isArchived: true },
      };
      if ((await send(change, { seen })) !== 'made') done();
    }

    async function unarchive(id: string, seen: PlacedFragment | null = null): Promise<void> {
      const card = readPlaced(cache, id);
      if (!card) return;
      const done = notices.say(`${card.companyName} taken out of the archive`, {
        label: 'Undo',
        run: () => void archive(id, card),
      });
      const change = {
        application: id,
        wish: 'take it out of the archive',
        sets: { isArchived: 'false' },
        mutation: Unarchive,
        variables: (expectedVersion: number) => ({ input: { id, expectedVersion } }),
        payload: (data: Unmasked<UnarchiveApplicationMutation>) => data.unarchiveApplication,
        shown: { isArchived: false },
      };
      if ((await send(change, { seen })) !== 'made') done();
    }

    return { move, archive, unarchive };
  }, [cache, notices, send]);
}

/** What is put where. */
interface Put {
  readonly card: PlacedFragment;
  /** The application as the person saw it when they began. */
  readonly seen: PlacedFragment | null;
  readonly status: ApplicationStatus;
  readonly dateApplied: string | null;
}
