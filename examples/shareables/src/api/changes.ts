// The changes that are kept until they are answered: they show at once, and are sent as soon as the server can be reached, by
// the next page if this one is closed.

import { CombinedGraphQLErrors, type DocumentNode, type OperationVariables, type TypedDocumentNode } from '@apollo/client';
import { useCallback, useEffect } from 'react';
import { newId } from 'trestle-web-kit/api/ids';
import { inherit, keep, keepFor, type Kept, type Ticket } from 'trestle-web-kit/api/queue';
import { number } from 'trestle-web-kit/ui/dates';
import { OFFER_STAY, useNotices } from 'trestle-web-kit/ui/notices';

import { graphql } from '../gql';
import type { AddChecklistItemInput } from '../gql/graphql';
import { client } from './client';
import { type Checklist, idOfItem, type Item, ItemDoc, type Option, sorted } from './data';
import { place, remove } from './live';
import { ownName } from './known';
import { said, words } from './opening';

const Tick = graphql(`
  mutation Tick($input: TickChecklistItemInput!) {
    tickChecklistItem(input: $input) {
      item {
        ...Item
        checklist {
          id
          tickedCount
        }
      }
      userErrors {
        message
      }
    }
  }
`);

const Add = graphql(`
  mutation Add($input: AddChecklistItemInput!) {
    addChecklistItem(input: $input) {
      item {
        ...Item
      }
      userErrors {
        code
        field
        message
      }
    }
  }
`);

const Edit = graphql(`
  mutation Edit($input: UpdateChecklistItemInput!) {
    updateChecklistItem(input: $input) {
      item {
        ...Item
      }
      userErrors {
        message
      }
    }
  }
`);

const Move = graphql(`
  mutation Move($input: MoveChecklistItemInput!) {
    moveChecklistItem(input: $input) {
      item {
        ...Item
      }
      userErrors {
        message
      }
    }
  }
`);

const Delete = graphql(`
  mutation Delete($input: DeleteChecklistItemInput!) {
    deleteChecklistItem(input: $input) {
      deletedId
      userErrors {
        code
        message
      }
    }
  }
`);

const Restore = graphql(`
  mutation Restore($input: RestoreChecklistItemInput!) {
    restoreChecklistItem(input: $input) {
      item {
        ...Item
      }
      userErrors {
        message
      }
    }
  }
`);

const Untick = graphql(`
  mutation Untick($input: UntickChecklistInput!) {
    untickChecklist(input: $input) {
      checklist {
        id
        tickedCount
      }
      userErrors {
        message
      }
    }
  }
`);

const VoteFor = graphql(`
  mutation VoteFor($input: VoteInput!) {
    vote(input: $input) {
      vote {
        ...Vote
      }
      userErrors {
        message
      }
    }
  }
`);

const MUTATIONS = { Tick, Add, Edit, Move, Delete, Restore, Untick, VoteFor } as const;

/** What a person writes of an item. */
export type ItemTexts = Pick<AddChecklistItemInput, 'name' | 'note' | 'person' | 'quantity'>;

/** An item to add. */
export type NewItem = ItemTexts & { readonly isTicked?: boolean };

/** A change as it is stored. */
interface Change {
  readonly shortId: string;
  /** The id of the checklist or poll. */
  readonly of: string;
  readonly mutation: keyof typeof MUTATIONS;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the person wants, as the end of a sentence. */
  readonly wish: string;
  /** What is said of a change that can be undone before it is sent, and until when. */
  readonly offer?: { readonly text: string; readonly until: number };
}

interface Problem {
  readonly code?: string;
  readonly field?: readonly string[] | null;
  readonly message: string;
}

type Payload = { readonly userErrors: readonly Problem[] };

/** Sends a change. Answers whether it was made; if not, the person was informed. */
type Send = (change: Change, optimistic?: object, earlier?: Ticket) => Promise<boolean>;

export function useSend(): Send {
  const notices = useNotices();
  return useCallback(
    async (change, optimistic, earlier) => {
      const { shortId, mutation, input, wish, offer } = change;
      const ticket = earlier ?? keep({ ...change });
      if (offer && !(await notices.offer(offer.text, offer.until))) {
        ticket.end();
        return false;
      }
      try {
        const { data } = await client.mutate<Record<string, Payload | null>, OperationVariables>({
          mutation: MUTATIONS[mutation] as DocumentNode as TypedDocumentNode<Record<string, Payload | null>, OperationVariables>,
          variables: { input },
          context: { shareable: shortId, kept: true },
          ...(optimistic && { optimisticResponse: optimistic as Record<string, Payload> }),
          update: (cache, { data: made }) => {
            const payload = payloadOf<{ item?: Item | null; deletedId?: string | null }>(made);
            const list = { __typename: 'Checklist' as const, id: change.of };
            if ((mutation === 'Add' || mutation === 'Restore') && payload?.item) {
              place(cache, list, cache.writeFragment({ fragment: ItemDoc, fragmentName: 'Item', data: payload.item }));
            }
            if (mutation === 'Delete' && payload?.deletedId) remove(cache, list, payload.deletedId);
          },
          ...((mutation === 'VoteFor' || mutation === 'Untick') && { refetchQueries: ['Shareable'] }),
        });
        ticket.end();
        const problems = payloadOf<Payload>(data)?.userErrors ?? [];
        const isGone = mutation === 'Delete' && problems.some(({ code }) => code === 'NOT_FOUND');
        if (problems.length === 0 || isGone) return true;
        client.refetchQueries({ include: ['Shareable'] }).catch(() => {});
        if (problems.some(isThere)) return true;
        notices.warn(`Could not ${wish}: ${words(problems)}`);
      } catch (error) {
        // What nobody has decided stays stored.
        if (CombinedGraphQLErrors.is(error)) ticket.end();
        const why = CombinedGraphQLErrors.is(error) ? said(error.errors[0]?.message ?? '') : 'The server does not answer.';
        notices.warn(`Could not ${wish}: ${why}`);
      }
      return false;
    },
    [notices],
  );
}

/** Whether an item was added before, and somebody has changed or deleted it since. */
function isThere({ code, field }: Problem): boolean {
  return code === 'CONFLICT' && field?.[0] === 'itemId';
}

/** The payload of whichever mutation was sent. */
function payloadOf<T extends object>(data: object | null | undefined): T | null {
  return (Object.values(data ?? {}) as unknown[]).find((each): each is T => typeof each === 'object' && each !== null) ?? null;
}

/** What a person can do with the items of a checklist. */
export function useItems(list: Checklist) {
  const send = useSend();
  const notices = useNotices();
  const { shortId, id: of } = list;
  const items = sorted(list.items);
  const answer = (field: string, type: string, item: object) => ({
    [field]: { __typename: type, item: { __typename: 'ChecklistItem', ...item }, userErrors: [] },
  });
  return {
    tick: (item: Item, ticked: boolean) => {
      const wish = `${ticked ? 'tick' : 'untick'} “${item.name}”`;
      const tickedAt = ticked ? new Date().toISOString() : null;
      const tickedCount = items.filter(({ id, tickedAt: at }) => (id === item.id ? ticked : at)).length;
      const checklist = { __typename: 'Checklist', id: of, tickedCount };
      const shown = { ...item, tickedAt, tickedBy: ticked ? ownName() || null : null, checklist };
      return send(
        { shortId, of, mutation: 'Tick', input: { id: item.id, ticked }, wish },
        answer('tickChecklistItem', 'TickChecklistItemPayload', shown),
      );
    },
    /** Adds items at the end, one after the other. */
    add: (...all: readonly NewItem[]) => {
      const last = items.at(-1)?.order ?? 0;
      for (const [at, input] of all.entries()) {
        // Sent again with the same id, it is added once.
        const itemId = newId();
        const { isTicked, ...texts } = { note: null, person: null, quantity: null, ...input };
        const tick = { tickedAt: isTicked ? new Date().toISOString() : null, tickedBy: isTicked ? ownName() || null : null };
        const shown = { id: idOfItem(shortId, itemId), ...texts, ...tick, order: last + at + 1, isMine: true };
        void send(
          { shortId, of, mutation: 'Add', input: { shortId, itemId, ...input }, wish: `add “${input.name}”` },
          answer('addChecklistItem', 'AddChecklistItemPayload', shown),
        );
      }
    },
    edit: (item: Item, changed: ItemTexts) =>
      send(
        { shortId, of, mutation: 'Edit', input: { id: item.id, ...changed }, wish: `change “${item.name}”` },
        answer('updateChecklistItem', 'UpdateChecklistItemPayload', { ...item, ...changed }),
      ),
    /** `at`: its place among the others. */
    move: (item: Item, at: number) => {
      const others = items.filter(({ id }) => id !== item.id);
      const [before, after] = [others[at - 1], others[at]];
      const order = before && after ? (before.order + after.order) / 2 : before ? before.order + 1 : (after?.order ?? 0) - 1;
      return send(
        { shortId, of, mutation: 'Move', input: { id: item.id, afterId: before?.id ?? null }, wish: `move “${item.name}”` },
        answer('moveChecklistItem', 'MoveChecklistItemPayload', { ...item, order }),
      );
    },
    /** Says that items are deleted, and offers to bring them back. */
    deleted: (text: string, gone: readonly Item[]) => {
      const back = (item: Item) =>
        send(
          { shortId, of, mutation: 'Restore', input: { id: item.id }, wish: `bring “${item.name}” back` },
          answer('restoreChecklistItem', 'RestoreChecklistItemPayload', item),
        );
      notices.say(text, { label: 'Undo', run: () => void gone.map(back) });
    },
    remove: (item: Item) =>
      send(
        { shortId, of, mutation: 'Delete', input: { id: item.id }, wish: `delete “${item.name}”` },
        { deleteChecklistItem: { __typename: 'DeleteChecklistItemPayload', deletedId: item.id, userErrors: [] } },
      ),
    /** Clears all ticks, unless it is taken back: who has ticked what could not be restored. */
    untick: () => {
      const offer = { text: 'All ticks are cleared in ten seconds', until: Date.now() + OFFER_STAY };
      void send({ shortId, of, mutation: 'Untick', input: { shortId }, wish: 'clear all ticks', offer });
    },
  };
}

/** Votes, in place of an earlier vote. */
export function useVote(poll: { readonly shortId: string; readonly id: string; readonly question: string }) {
  const send = useSend();
  const { shortId, id: of, question } = poll;
  return (options: readonly Option[], maybe: readonly Option[], comment: string, noneSuits = false) => {
    const [optionIds, maybeOptionIds] = [options, maybe].map((list) => list.map(({ id }) => id));
    const input = { shortId, optionIds, maybeOptionIds, ...(comment && { comment }), ...(noneSuits && { noneSuits }) };
    return send({ shortId, of, mutation: 'VoteFor', input, wish: `vote in “${question}”` });
  };
}

/** Sends what pages that are closed left unsent, in the order in which it was made. */
export function useResend(): void {
  const send = useSend();
  const notices = useNotices();
  useEffect(() => {
    // Whoever uses this browser opens what it has opened: there are no accounts to tell people apart.
    void keepFor('this browser').catch(() => {});
    return inherit<Change>((left: readonly { change: Kept<Change>; ticket: Ticket }[]) => {
      void Promise.all(left.map(({ change, ticket }) => send(change, undefined, ticket))).then((made) => {
        const count = made.filter(Boolean).length;
        if (count > 0) notices.say(`${number(count)} ${count === 1 ? 'change' : 'changes'} from before sent`);
        client.refetchQueries({ include: ['Shareable'] }).catch(() => {});
      });
    });
  }, [send, notices]);
}
