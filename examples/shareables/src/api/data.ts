// What the page reads of a shareable.

import { graphql } from '../gql';
import type { ItemFragment, OptionFragment, ShareableQuery, VoteFragment } from '../gql/graphql';

export const ItemDoc = graphql(`
  fragment Item on ChecklistItem {
    id
    isMine
    name
    note
    order
    person
    quantity
    tickedAt
    tickedBy
  }
`);

export const OptionDoc = graphql(`
  fragment Option on PollOption {
    id
    text
    order
    editedAt
    day
    startsAt
    endsAt
    voteCount
    maybeCount
    percentage
  }
`);

export const VoteDoc = graphql(`
  fragment Vote on PollVote {
    id
    comment
    maybeOptionIds
    noneSuits
    optionIds
    votedAt
    voterName
  }
`);

export const ChecklistDoc = graphql(`
  fragment ChecklistHead on Checklist {
    id
    shortId
    name
    note
    expiresAt
    isExpired
    staysOpen
    version
    itemCount
    tickedCount
    viewersMay
  }
`);

export const PollDoc = graphql(`
  fragment PollHead on Poll {
    id
    shortId
    name
    question
    expiresAt
    isExpired
    staysOpen
    version
    allowsMaybe
    allowsSeveral
    hidesNames
    hidesResults
    invitedOnly
    isClosed
    closesAt
    correctedAt
    noneCount
    timeZone
    voterCount
  }
`);

export const ShareableDoc = graphql(`
  query Shareable($shortId: String!) {
    shareable(shortId: $shortId) {
      id
      ... on Checklist {
        ...ChecklistHead
        items {
          ...Item
        }
      }
      ... on Poll {
        ...PollHead
        options {
          ...Option
        }
        myVote {
          ...Vote
        }
        votes(first: 100) {
          edges {
            node {
              ...Vote
            }
          }
        }
      }
    }
  }
`);

export type Shareable = NonNullable<ShareableQuery['shareable']>;
export type Checklist = Extract<Shareable, { __typename: 'Checklist' }>;
export type Poll = Extract<Shareable, { __typename: 'Poll' }>;
export type Item = ItemFragment;
export type Option = OptionFragment;
export type Vote = VoteFragment;

/** The id that an item gets whose `itemId` is made here: it is ticked, moved and shown by it before the server has answered. */
export function idOfItem(shortId: string, itemId: string): string {
  return btoa(`i${shortId}${itemId.replaceAll('-', '')}`).replace(/=+$/u, '').replaceAll('+', '-').replaceAll('/', '_');
}

/** In their order, as the server has them: what two people add at once gets one place, and is sorted by its id. */
export function sorted<T extends { readonly id: string; readonly order: number }>(list: readonly T[] | null | undefined): T[] {
  return (list ?? []).toSorted((one, other) => one.order - other.order || (one.id < other.id ? -1 : 1));
}
