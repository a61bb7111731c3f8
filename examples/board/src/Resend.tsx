// Sends what pages that are closed left unsent, as if it had just been done: a change of somebody else in between is merged,
// or put to the person.

import { useApolloClient } from '@apollo/client/react';
import type { DocumentNode } from 'graphql';
import { useEffect } from 'react';
import type { Kept as Stored, Ticket } from 'trestle-web-kit/api/queue';
import { number } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { type Change, useSend } from './api/change';
import { answered } from './api/follow';
import type { KeptChange } from './api/kept';
import { nameOf } from './api/name';
import { Archive, Move, Unarchive } from './board/changes';
import { Create, type NewApplication, useCreate } from './board/create';
import { AddContact, AddFile, type BesideChange, RemoveContact, RemoveFile, UpdateContact, useBeside } from './detail/beside';
import { AddStage, CompleteStage, Delete, Edit, EditStage, RemoveStage, Reorder, Restore } from './detail/changes';
import { Delete as DeleteMany, useBulk } from './table/bulk';
import { said } from './ui/words';

type Kept = Stored<KeptChange>;

/** The mutations of an application that exists, by their names. */
const CHANGES = new Map<string, DocumentNode>(
  [Archive, Move, Unarchive, AddStage, CompleteStage, Delete, Edit, EditStage, RemoveStage, Reorder, Restore].map((mutation) => [
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
  const bulk = useBulk();

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

    async function besides({ mutation: name, application, input, wish, was, seen, deletes }: Kept, ticket: Ticket): Promise<boolean> {
      const mutation = BESIDES.get(name);
      const wanted = { application, mutation, input, wish, deletes, ...(was && { was }) };
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

    async function resend({ change: kept, ticket }: Left[number]): Promise<boolean> {
      if (BESIDES.has(kept.mutation)) return besides(kept, ticket);
      if (kept.mutation === nameOf(Create)) return add(kept, ticket);
      const { mutation, deletes } = kept;
      if (mutation !== nameOf(DeleteMany) || !deletes) return change(kept, ticket);
      return (await bulk.remove(deletes.ids, { deletes, ticket })) === 'made';
    }
    // A list that is on its way would take back what is placed in it before it arrives.
    void answered.then(() => Promise.all(left.map(resend))).then((made) => {
      const count = made.filter(Boolean).length;
      if (count > 0) notices.say(`${number(count)} ${count === 1 ? 'change' : 'changes'} from before sent`);
      client.refetchQueries({ include: 'active' }).catch(() => {});
    });
  }, [left, onTaken, client, notices, send, create, sendBeside, bulk]);
  return null;
}
