// How every change of an application is sent: on the version that the person sees, placed in the lists when it is made,
// merged with what others changed meanwhile, and put to the person if both changed the same.

import type { TypedDocumentNode, Unmasked } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useCallback } from 'react';
import type { Ticket } from 'trestle-web-kit/api/queue';
import { useNotices } from 'trestle-web-kit/ui/notices';

import type { PlacedFragment } from '../gql/graphql';
import { askAbout } from '../asked';
import { said } from '../ui/words';
import { takeTurn, type Turn } from './inOrder';
import { type KeptChange, type Outcome, useKept } from './kept';
import { forget, readPlaced, readStored, settle } from './lists';
import { nameOf } from './name';
import type { Deletion, Shown } from './pending';

/** What all payloads of mutations have in common. */
interface Payload {
  readonly application: PlacedFragment | null;
  readonly userErrors: readonly { readonly code: string; readonly message: string }[];
}

/** A change that a person wants. */
export interface Change<TData, TVariables extends { input: object }> {
  /** The id of the application that changes, or whose stage does. */
  readonly application: string;
  /** What the person wants, as the end of a sentence: `move it to Interviewing`. */
  readonly wish: string;
  /** The fields that it sets, with their values as a history has them. Another change of one of these collides with it. */
  readonly sets: Readonly<Record<string, string | null>>;
  /** The id of the stage whose fields these are; empty for the application's own. */
  readonly stage?: string;
  readonly mutation: TypedDocumentNode<TData, TVariables>;
  readonly variables: (expectedVersion: number) => TVariables;
  readonly payload: (data: Unmasked<TData>) => Payload | null | undefined;
  /** What the application shows until the change is decided: the values of these fields. */
  readonly shown?: Shown;
  readonly deletes?: Deletion;
}

/** Stands for all fields among those that a change sets: it collides with every other change. */
export const EVERYTHING = { '*': null };

/** A field that two people changed, with both values as a history has them. */
export interface Collision {
  readonly field: string;
  readonly own: string | null;
  readonly other: string | null;
}

/** Someone else changed what the person wanted to change. */
export interface Conflict {
  /** The application as the person saw it. */
  readonly seen: PlacedFragment;
  readonly wish: string;
  /** Empty if it is not known which fields collide. */
  readonly collisions: readonly Collision[];
  /** What others changed meanwhile. */
  readonly meanwhile: readonly string[];
  /** Sends the change on top of the newer version. */
  readonly again: () => void;
  /** Called when the person has decided. */
  readonly end: () => void;
}

/** What was before a change is sent: the application as its author saw it when they began, and whether it is stored already. */
export interface Earlier {
  readonly seen: PlacedFragment | null;
  readonly ticket?: Ticket;
}

/** Changes of others that are merged in a row before the person is asked. */
const MERGES = 3;

/** Sends changes. */
export function useSend() {
  const client = useApolloClient();
  const notices = useNotices();
  const run = useKept();

  return useCallback(
    async function send<TData, TVariables extends { input: object }>(
      change: Change<TData, TVariables>,
      earlier?: Earlier,
    ): Promise<Outcome> {
      const { application, shown, deletes } = change;
      const seen = earlier?.seen ?? readPlaced(client.cache, application);
      if (!seen) {
        notices.warn(`Could not ${change.wish}: it is gone.`);
        return 'lost';
      }
      return run({
        kept: keptOf(change, seen, change.variables(seen.version).input),
        ticket: earlier?.ticket,
        shown,
        send: (ticket) => {
          const turn = takeTurn(application);
          return decide(change, { seen, ticket, turn }, readStored(client.cache, application) ?? seen, MERGES).finally(turn.end);
        },
      });

      /** Gone is what a delete wants. */
      function isMade(answer: Payload | null | undefined): boolean {
        if (deletes) return answer?.userErrors.every(({ code }) => code === 'NOT_FOUND') ?? false;
        return Boolean(answer?.application) && answer?.userErrors.length === 0;
      }

      /** Sends it until it is decided, and merges it with what others changed meanwhile. */
      async function decide(
        { payload, variables, mutation }: Change<TData, TVariables>,
        { seen, ticket, turn }: { readonly seen: PlacedFragment; readonly ticket: Ticket; readonly turn: Turn },
        before: PlacedFragment,
        merges: number,
      ): Promise<Outcome> {
        let answer: Payload | null | undefined;
        await client.mutate<TData, { input: object }>({
          mutation: mutation as TypedDocumentNode<TData, { input: object }>,
          variables: variables(seen.version),
          context: { application, kept: true, turn },
          update: (cache, { data }) => {
            answer = data ? payload(data) : null;
            // A conflict comes with what others made of it, which is placed below.
            if (!isMade(answer)) return;
            if (deletes?.ids.includes(application)) forget(cache, application, before);
            else settle(cache, before, answer?.application);
          },
        });
        if (isMade(answer)) {
          ticket.end();
          return 'made';
        }
        const problems = answer?.userErrors ?? [];
        if (!problems.some(({ code }) => code === 'CONFLICT')) {
          ticket.end();
          notices.warn(problems.map(({ message }) => said(message)).join(' ') || 'Not saved.');
          return 'refused';
        }
        // A file that does not arrive leaves it unknown, as an answer that does not.
        const { compare } = (await import('./meanwhile').catch(() => null)) ?? {};
        const { isStored, collisions, meanwhile = [] } = (await compare?.(client, seen, change)) ?? {};
        if (isStored) {
          ticket.end();
          return 'made';
        }
        const newest = readStored(client.cache, application);
        if (collisions?.length === 0 && merges > 0 && newest) {
          return decide(change, { seen: newest, ticket, turn }, newest, merges - 1);
        }
        const conflict: Conflict = {
          seen,
          wish: change.wish,
          collisions: collisions ?? [],
          meanwhile,
          again: () => void send(change),
          // Until then the change stays stored.
          end: ticket.end,
        };
        notices.ask(askAbout(conflict));
        return 'asked';
      }
    },
    [client, notices, run],
  );
}

/** What to store of a change. */
function keptOf<TData, TVariables extends { input: object }>(
  { application, wish, sets, stage, mutation, deletes }: Change<TData, TVariables>,
  seen: PlacedFragment,
  input: object,
): KeptChange {
  const name = `${seen.companyName}, ${seen.positionTitle}`;
  return { mutation: nameOf(mutation), input: { ...input }, application, name, wish, seen, sets, stage, deletes };
}
