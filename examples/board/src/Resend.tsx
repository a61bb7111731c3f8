// Sends what pages that are closed left unsent, as if it had just been done: a change of somebody else in between is merged,
// or put to the person.

import { CombinedGraphQLErrors } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import type { DocumentNode } from 'graphql';
import { useEffect } from 'react';
import type { Kept as Stored, Ticket } from 'trestle-web-kit/api/queue';
import { number } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { type Change, type KeptChange, useSend } from './api/change';
import { answered } from './api/follow';
import { nameOf } from './api/name';
import { reasonOf } from './api/reason';
import { Archive, Move, Unarchive } from './board/changes';
import { Create, type NewApplication, useCreate } from './board/create';
import { AddContact, AddFile, type BesideChange, RemoveContact, RemoveFile, UpdateContact, useBeside } from './detail/beside';
import { AddStage, CompleteStage, Delete, Edit, EditStage, RemoveStage, Reorder, Restore } from './detail/changes';
import { said } from './ui/words';

type Kept = Stored<KeptChange>;

/** The mutations of an application that exists, by their names. */
const CHANGES = new Map<string, DocumentNode>(
  [Archive, Move, Unarchive, AddStage, CompleteStage, Edit, EditStage, RemoveStage, Reorder, Restore].map((mutation) => [
    nameOf(mutation),
    mutation,
  ]),
);

/** Those of what belongs to one, by their names. */
const BESIDES = new Map<string, DocumentNode>(
  [AddContact, AddFile, RemoveContact, RemoveFile, UpdateContact].map((mutation) => [nameOf(mutation), mutation]),
);

/** Changes with their tickets, in the order in which they were made. */
export type Left = readonly { readonly change: Kept; readonly ticket: Ticket }[];

export function Resend({ left, onTaken }: { left: Left; onTaken: (taken: Left) => void }) {
  const client = useApolloClient();
  const notices = useNotices();
  const send = useSend();
  const create = useCreate();
  const sendBeside = useBeside();

  useEffect(() => {
    if (left.length === 0) return;
    onTaken(left);

    async function change({ mutation: name, input, seen, ...rest }: Kept, ticket: Ticket): Promise<boolean> {
      const mutation = CHANGES.get(name);
      if (!mutation || !seen) {
        ticket.end();
        notices.warn(`Could not ${rest.wish} (${rest.name}): this version of the page does not know how.`);
        return false;
      }
      const variables = (expectedVersion: number) => ({ input: { ...input, expectedVersion } });
      const payload = (data: object) => Object.values(data).find((value) => typeof value === 'object');
      const wanted = { ...rest, stage: rest.stage ?? undefined, mutation, variables, payload };
      const outcome = await send(wanted as unknown as Change<object, { input: object }>, { seen, ticket });
      return outcome === 'made';
    }

    async function besides({ mutation: name, application, input, wish, was, seen }: Kept, ticket: Ticket): Promise<boolean> {
      const mutation = BESIDES.get(name);
      const wanted = { application, mutation, input, wish, ...(was && { was }) };
      type Any = BesideChange<{ beside: null }, { input: object }>;
      return (await sendBeside(wanted as unknown as Any, { ticket, seen })) === 'made';
    }

    async function add({ input, name }: Kept, ticket: Ticket): Promise<boolean> {
      const created = await create(input as unknown as NewApplication, false, ticket);
      if (created.now === 'made') return true;
      const why =
        created.now === 'invalid'
          ? created.problems.map(({ message }) => said(message)).join(' ')
          : created.now === 'refused'
            ? said(created.message)
            : 'the server does not answer.';
      notices.warn(`Could not add ${name}: ${why}`);
      return false;
    }

    async function remove({ input, application, name }: Kept, ticket: Ticket): Promise<boolean> {
      try {
        const { data } = await client.mutate({
          mutation: Delete,
          variables: { input: input as { id: string } },
          context: { application, kept: true },
        });
        ticket.end();
        const [problem] = data?.deleteApplication?.userErrors ?? [];
        // Gone is what was wanted.
        if (!problem || problem.code === 'NOT_FOUND') return true;
        notices.warn(`Could not delete ${name}: ${said(problem.message)}`);
      } catch (error) {
        // What nobody has decided stays stored.
        if (CombinedGraphQLErrors.is(error)) ticket.end();
        notices.warn(`Could not delete ${name}${reasonOf(error)}.`);
      }
      return false;
    }

    function resend({ change: kept, ticket }: Left[number]): Promise<boolean> {
      if (BESIDES.has(kept.mutation)) return besides(kept, ticket);
      if (kept.mutation === nameOf(Create)) return add(kept, ticket);
      return kept.mutation === nameOf(Delete) ? remove(kept, ticket) : change(kept, ticket);
    }
    // A list that is on its way would take back what is placed in it before it arrives.
    void answered.then(() => Promise.all(left.map(resend))).then((made) => {
      const count = made.filter(Boolean).length;
      if (count > 0) notices.say(`${number(count)} ${count === 1 ? 'change' : 'changes'} from before sent`);
      client.refetchQueries({ include: 'active' }).catch(() => {});
    });
  }, [left, onTaken, client, notices, send, create, sendBeside]);
  return null;
}
