// The life of a change: stored from the moment that it is made, shown meanwhile, sent when it can no longer be undone, and ended by
// what the server answers. Until then it is kept, for the next page if this one is closed.

import { CombinedGraphQLErrors } from '@apollo/client';
import { useCallback } from 'react';
import { keep, type Ticket } from 'trestle-web-kit/api/queue';
import { useNotices } from 'trestle-web-kit/ui/notices';

import type { PlacedFragment } from '../gql/graphql';
import { type Deletion, hide, type Shown, showPending } from './pending';
import { reasonOf } from './reason';

/** A change as it is stored until it is answered. */
export interface KeptChange {
  /** The name of the mutation. */
  readonly mutation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly application: string;
  /** The application in words. */
  readonly name: string;
  /** What the person wants, as the end of a sentence. */
  readonly wish: string;
  /** The application as the person saw it; empty for one that is created. */
  readonly seen: PlacedFragment | null;
  readonly sets: Readonly<Record<string, string | null>>;
  readonly stage?: string | undefined;
  /** The values that the person saw, of what has no version. */
  readonly was?: Readonly<Record<string, string | null>> | undefined;
  readonly deletes?: Deletion | undefined;
}

/** The result of a change. The person was informed of it, or is being asked. */
export type Outcome = 'made' | 'asked' | 'refused' | 'lost' | 'undone';

/** A change with how it is sent. */
interface Sending {
  readonly kept: KeptChange;
  /** What it is stored by, if an earlier page has stored it. */
  readonly ticket?: Ticket | undefined;
  /** What the application shows until it is decided. */
  readonly shown?: Shown | undefined;
  /** Ends the ticket when the server has decided. */
  readonly send: (ticket: Ticket) => Promise<Outcome>;
}

export function useKept() {
  const notices = useNotices();
  return useCallback(
    async function run({ kept, ticket = keep(kept), shown, send }: Sending): Promise<Outcome> {
      const { application, deletes, wish } = kept;
      const end = deletes ? hide(deletes) : shown && showPending(application, shown);
      try {
        if (!deletes || (await notices.offer(deletes.text, deletes.until))) return await send(ticket);
        ticket.end();
        return 'undone';
      } catch (error) {
        if (CombinedGraphQLErrors.is(error)) {
          ticket.end();
          notices.warn(`Could not ${wish}${reasonOf(error)}.`);
          return 'refused';
        }
        // Nobody has decided it: it stays stored.
        notices.warn(`Could not ${wish}.`, { label: 'Try again', run: () => void run({ kept, ticket, shown, send }) });
        return 'lost';
      } finally {
        end?.();
      }
    },
    [notices],
  );
}
