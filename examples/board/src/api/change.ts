// How every change of an application is sent: on the version that the person sees, placed in the lists when it is made,
// merged with what others changed meanwhile, and put to the person if both changed the same.

import { CombinedGraphQLErrors, type TypedDocumentNode, type Unmasked } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useCallback } from 'react';
import { keep, type Ticket } from 'trestle-web-kit/api/queue';
import { useNotices } from 'trestle-web-kit/ui/notices';

import type { PlacedFragment } from '../gql/graphql';
import { askAbout } from '../asked';
import { said } from '../ui/words';
import { readPlaced, readStored, settle } from './lists';
import { nameOf } from './name';
import { type Shown, showPending } from './pending';
import { withOwn } from './versions';

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
}

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

/** The result of a change. The person was informed of it, or is being asked. */
export type Outcome = 'made' | 'asked' | 'refused' | 'lost';

/** Changes of others that are merged in a row before the person is asked. */
const MERGES = 3;

/** A change as it is stored until it is answered. */
export interface KeptChange {
  /** The name of the mutation. */
  readonly mutation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly application: string;
  /** The application in words. */
  readonly name: string;
  readonly wish: string;
  /** The application as the person saw it; empty for one that is created. */
  readonly seen: PlacedFragment | null;
  readonly sets: Readonly<Record<string, string | null>>;
  readonly stage?: string | undefined;
  /** The values that the person saw, of what has no version. */
  readonly was?: Readonly<Record<string, string | null>> | undefined;
}

/** Sends changes. */
export function useSend() {
  const client = useApolloClient();
  const notices = useNotices();

  return useCallback(
    async function send<TData, TVariables extends { input: object }>(
      change: Change<TData, TVariables>,
      earlier?: Earlier,
    ): Promise<Outcome> {
      const { application, shown } = change;
      const stored = readStored(client.cache, application);
      const seen = earlier?.seen ?? readPlaced(client.cache, application);
      if (!seen) {
        notices.warn(`Could not ${change.wish}: this application is not here any more.`);
        return 'lost';
      }
      const hide = shown && showPending(application, shown);
      const ticket = earlier?.ticket ?? keep(keptOf(change, seen, change.variables(seen.version).input));
      try {
        return await decide(change, { seen, ticket }, stored ?? seen, MERGES);
      } finally {
        hide?.();
      }

      /** Sends it until it is decided, and merges it with what others changed meanwhile. */
      async function decide(
        { payload, variables, mutation }: Change<TData, TVariables>,
        { seen, ticket }: { readonly seen: PlacedFragment; readonly ticket: Ticket },
        before: PlacedFragment,
        merges: number,
      ): Promise<Outcome> {
        let answer: Payload | null | undefined;
        try {
          await client.mutate<TData, { input: object }>({
            mutation: mutation as TypedDocumentNode<TData, { input: object }>,
            variables: variables(withOwn(application, seen.version)),
            context: { application, kept: true },
            update: (cache, { data }) => {
              answer = data ? payload(data) : null;
              // A conflict comes with what others made of it, which is placed below.
              if (answer?.userErrors.length === 0) settle(cache, before, answer.application);
            },
          });
        } catch (error) {
          if (CombinedGraphQLErrors.is(error)) {
            ticket.end();
            notices.warn(error.errors.map(({ message }) => said(message)).join(' '));
            return 'refused';
          }
          // Nobody has decided it: it stays stored.
          notices.warn('This could not be saved.', { label: 'Try again', run: () => void send(change, { seen, ticket }) });
          return 'lost';
        }
        const problems = answer?.userErrors ?? [];
        if (answer?.application && problems.length === 0) {
          ticket.end();
          return 'made';
        }
        if (!problems.some(({ code }) => code === 'CONFLICT')) {
          ticket.end();
          notices.warn(problems.map(({ message }) => said(message)).join(' ') || 'This was not saved.');
          return 'refused';
        }
        // A file that does not arrive leaves it unknown, as an answer that does not.
        const { colliding, readMeanwhile } = (await import('./meanwhile').catch(() => null)) ?? {};
        const entries = (await readMeanwhile?.(client, seen)) ?? null;
        const collisions = entries && (colliding?.(entries, change) ?? null);
        const newest = readStored(client.cache, application);
        if (collisions?.length === 0 && merges > 0 && newest) {
          return decide(change, { seen: newest, ticket }, newest, merges - 1);
        }
        const conflict: Conflict = {
          seen,
          wish: change.wish,
          collisions: collisions ?? [],
          meanwhile: (entries ?? []).map(({ description }) => description),
          again: () => void send(change),
          // Until then the change stays stored.
          end: ticket.end,
        };
        notices.ask(askAbout(conflict));
        return 'asked';
      }
    },
    [client, notices],
  );
}

/** What to store of a change. */
function keptOf<TData, TVariables extends { input: object }>(
  { application, wish, sets, stage, mutation }: Change<TData, TVariables>,
  seen: PlacedFragment,
  input: object,
): KeptChange {
  const name = `${seen.companyName}, ${seen.positionTitle}`;
  return { mutation: nameOf(mutation), input: { ...input }, application, name, wish, seen, sets, stage };
}
