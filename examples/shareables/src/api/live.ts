// Keeps what is shown of a shareable in step with everybody else's: each event carries what changed.

import { type ApolloCache, execute, type Reference } from '@apollo/client';
import { linkOver, openSocket, wait } from 'trestle-web-kit/api/socket';
import { setFollowing } from 'trestle-web-kit/api/network';

import { graphql } from '../gql';
import type { ChangesSubscription } from '../gql/graphql';
import { client, ENDPOINT } from './client';
import { ChecklistDoc, ItemDoc, OptionDoc, PollDoc, VoteDoc } from './data';
import { noteChange } from './readAgain';
import { tokenFor } from './session';

const Changes = graphql(`
  subscription Changes($shortId: String!) {
    shareableChanged(shortId: $shortId) {
      kind
      itemId
      itemIds
      voteId
      item {
        ...Item
      }
      items {
        ...Item
      }
      options {
        ...Option
      }
      vote {
        ...Vote
      }
      shareable {
        id
        ... on Checklist {
          ...ChecklistHead
        }
        ... on Poll {
          ...PollHead
        }
      }
    }
  }
`);

type Change = ChangesSubscription['shareableChanged'];

/**
 * Follows a shareable until the answered function is called. Whenever the socket is connected, the shareable is read anew: what
 * others changed before, after it was last read, is in no event.
 */
export function follow(shortId: string, deleted: () => void): () => void {
  let stopped = false;
  let failures = 0;
  let stop = () => {};
  const socket = openSocket(ENDPOINT, () => tokenFor(shortId), () => {
    setFollowing(true);
    // A read that is not answered yet may be older than the connection.
    noteChange(shortId);
    readAnew();
  });
  const link = linkOver(socket, [Changes]);

  function listen(): void {
    const subscription = execute(link, { query: Changes, variables: { shortId } }, { client }).subscribe({
      next: ({ data }) => {
        failures = 0;
        const change = (data as ChangesSubscription | null | undefined)?.shareableChanged;
        if (change?.kind === 'DELETED') deleted();
        else if (change) {
          noteChange(shortId);
          take(change);
        }
      },
      error: () => void again(),
      complete: () => void again(),
    });
    stop = () => subscription.unsubscribe();
  }

  /** The stream ends with its token, and when the client reads too slowly. The socket is opened with a new token then. */
  async function again(): Promise<void> {
    await wait(failures);
    failures += 1;
    if (stopped) return;
    socket.terminate();
    listen();
    readAnew();
  }

  listen();
  return () => {
    stopped = true;
    stop();
    setFollowing(false);
    void socket.dispose();
  };
}

function readAnew(): void {
  client.refetchQueries({ include: ['Shareable'] }).catch(() => {});
}

function take({ kind, shareable, item, items, itemId, itemIds, options, vote, voteId }: Change): void {
  const { cache } = client;
  if (!shareable) return;
  const before = cache.readFragment({ id: cache.identify(shareable), fragment: PollDoc, fragmentName: 'PollHead' });
  if (shareable.__typename === 'Checklist') {
    cache.writeFragment({ fragment: ChecklistDoc, fragmentName: 'ChecklistHead', data: shareable });
    for (const one of [...(items ?? []), ...(item ? [item] : [])]) {
      place(cache, shareable, cache.writeFragment({ fragment: ItemDoc, fragmentName: 'Item', data: one }));
    }
    for (const id of itemIds ?? (kind === 'ITEM_DELETED' && itemId ? [itemId] : [])) remove(cache, shareable, id);
    return;
  }
  cache.writeFragment({ fragment: PollDoc, fragmentName: 'PollHead', data: shareable });
  if (options) {
    const references = options.map((one) => cache.writeFragment({ fragment: OptionDoc, fragmentName: 'Option', data: one }));
    cache.modify({ id: cache.identify(shareable), fields: { options: () => references } });
  }
  // Whoever voted for the first time is not on the list yet, and votes that were hidden are on none.
  const isKnown = vote && cache.readFragment({ id: cache.identify(vote), fragment: VoteDoc, fragmentName: 'Vote' });
  if (vote && isKnown) cache.writeFragment({ fragment: VoteDoc, fragmentName: 'Vote', data: vote });
  const isShown = before?.isClosed !== shareable.isClosed || before?.hidesResults !== shareable.hidesResults;
  const isDeleted = kind === 'OPTION_DELETED';
  if (isShown || isDeleted || voteId || (kind === 'VOTED' && !isKnown)) readAnew();
}

/** Adds an item to a list, unless it is there. The page sorts items by their order. */
export function place(cache: ApolloCache, list: { __typename: 'Checklist'; id: string }, item: Reference | undefined): void {
  if (!item) return;
  cache.modify<{ items: Reference[] }>({
    id: cache.identify({ __typename: list.__typename, id: list.id }),
    fields: {
      items: (known) => {
        const all = (known ?? []) as readonly Reference[];
        return all.some(({ __ref }) => __ref === item.__ref) ? all : [...all, item];
      },
    },
  });
}

/** Takes an item from a list. */
export function remove(cache: ApolloCache, list: { __typename: 'Checklist'; id: string }, id: string): void {
  cache.modify<{ items: Reference[] }>({
    id: cache.identify({ __typename: list.__typename, id: list.id }),
    fields: {
      items: (known, { readField }) =>
        ((known ?? []) as readonly Reference[]).filter((item) => readField('id', item) !== id),
    },
  });
}
