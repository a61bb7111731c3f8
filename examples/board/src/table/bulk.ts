// Changes of many applications at once, in batches of which each application is answered on its own.

import type { TypedDocumentNode } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useMemo } from 'react';
import { stayUntil } from 'trestle-web-kit/api/leaving';
import type { Ticket } from 'trestle-web-kit/api/queue';
import { number, today } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { type Outcome, useKept } from '../api/kept';
import { forget, readStored, settle } from '../api/lists';
import { nameOf } from '../api/name';
import { type Deletion, deletion } from '../api/pending';
import { readOnBoard } from '../board/changes';
import { graphql } from '../gql';
import type { ApplicationStatus, PlacedFragment } from '../gql/graphql';
import { said, STATUS_WORDS } from '../ui/words';

/** As many as the API takes at once. */
export const BATCH = 100;

/** Hears how many are done, and may stop the rest. */
export interface Work {
  readonly onDone?: (done: number) => void;
  readonly signal?: AbortSignal;
  /** Whether it is sent until it is decided, as it is stored. */
  readonly kept?: true;
}

const Update = graphql(`
  mutation UpdateMany($input: UpdateApplicationsInput!) {
    batch: updateApplications(input: $input) {
      results {
        application {
          id
          ...OnBoard
        }
        userErrors {
          code
          message
        }
      }
      userErrors {
        code
        message
      }
    }
  }
`);

const Archive = graphql(`
  mutation ArchiveMany($input: ArchiveApplicationsInput!) {
    batch: archiveApplications(input: $input) {
      results {
        application {
          id
          ...OnBoard
        }
        userErrors {
          code
          message
        }
      }
      userErrors {
        code
        message
      }
    }
  }
`);

const Unarchive = graphql(`
  mutation UnarchiveMany($input: UnarchiveApplicationsInput!) {
    batch: unarchiveApplications(input: $input) {
      results {
        application {
          id
          ...OnBoard
        }
        userErrors {
          code
          message
        }
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const Delete = graphql(`
  mutation DeleteMany($input: DeleteApplicationsInput!) {
    batch: deleteApplications(input: $input) {
      results {
        deletedApplicationId
        userErrors {
          code
          message
        }
      }
      userErrors {
        code
        message
      }
    }
  }
`);

interface Result {
  readonly application?: { readonly id: string } | null;
  readonly deletedApplicationId?: string | null;
  readonly userErrors: readonly { readonly message: string }[];
}

interface Answer {
  readonly batch?: {
    readonly results: readonly (Result | null)[];
    readonly userErrors: readonly { readonly message: string }[];
  } | null;
}

const Before = graphql(`
  query Before($ids: [ID!]!) {
    nodes(ids: $ids) {
      id
      ... on Application {
        ...OnBoard
      }
    }
  }
`);

type Known = NonNullable<ReturnType<typeof readOnBoard>>;

/** The changes of many applications. Each reports how many were made, and why others were not. */
export function useBulk() {
  const client = useApolloClient();
  const notices = useNotices();
  const run = useKept();

  return useMemo(() => {
    /** What the applications are before a change: those that the cache does not hold any more are read again. */
    async function read(ids: readonly string[]): Promise<Known[]> {
      const away = ids.filter((id) => !readOnBoard(client.cache, id));
      if (away.length > 0) {
        await client.query({ query: Before, variables: { ids: away }, fetchPolicy: 'network-only' });
      }
      return ids.flatMap((id) => readOnBoard(client.cache, id) ?? []);
    }

    function send<TVariables extends { input: object }>(...change: Parameters<typeof sendAll<TVariables>>): Promise<Known[]> {
      return stayUntil(sendAll(...change));
    }

    async function sendAll<TVariables extends { input: object }>(
      ids: readonly string[],
      mutation: TypedDocumentNode<Answer, TVariables>,
      input: (rows: readonly Known[]) => object,
      work?: Work,
    ): Promise<Known[]> {
      const problems = new Set<string>();
      /** Those that were changed, as they were before. */
      const made: Known[] = [];
      let sent = 0;
      for (let at = 0; at < ids.length && !work?.signal?.aborted; at += BATCH) {
        const batch = await read(ids.slice(at, at + BATCH));
        const before = batch.map(({ id }) => readStored(client.cache, id));
        if (batch.length === 0) continue;
        const { data } = await client.mutate<Answer, { input: object }>({
          mutation: mutation as TypedDocumentNode<Answer, { input: object }>,
          variables: { input: input(batch) },
          context: { kept: work?.kept === true },
        });
        for (const { message } of data?.batch?.userErrors ?? []) problems.add(said(message));
        const take = ({ id }: Known, place: number) => {
          const result = data?.batch?.results[place];
          for (const { message } of result?.userErrors ?? []) problems.add(said(message));
          const seen: PlacedFragment | null = before[place] ?? null;
          if (result?.deletedApplicationId) forget(client.cache, id, seen);
          else if (result?.application) settle(client.cache, seen, { id });
          else return;
          made.push(batch[place] as Known);
        };
        client.cache.batch({ update: () => batch.forEach(take) });
        sent = Math.min(ids.length, at + BATCH);
        work?.onDone?.(sent);
      }
      // What is gone already needs no delete.
      if (made.length < ids.length && (problems.size > 0 || !work?.kept)) {
        const stopped = work?.signal?.aborted && sent < ids.length ? ' Stopped.' : '';
        notices.warn(`${number(ids.length - made.length)} were not changed.${stopped} ${[...problems].join(' ')}`);
      }
      return made;
    }

    const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
    const ids = (rows: readonly Known[]) => ({ ids: idsOf(rows) });

    async function move(rows: readonly string[], status: ApplicationStatus, work: Work): Promise<void> {
      const made = await send(rows, Update, (batch) => ({
        applications: batch.map(({ id, status: now, dateApplied }) => ({
          id,
          status,
          // The day is the person's: the server would take its own.
          ...(now === 'UNSUBMITTED' && status !== now && !dateApplied && { dateApplied: today() }),
        })),
      }), work);
      const were = new Map(made.map(({ id, status: then, dateApplied }) => [id, { status: then, dateApplied }]));
      const undo = () =>
        void send(idsOf(made), Update, (batch) => ({
          applications: batch.map(({ id }) => ({ id, ...were.get(id) })),
        })).catch(() => notices.warn('This could not be undone: the server does not answer.'));
      notices.say(`${number(made.length)} moved to ${STATUS_WORDS[status]}`, { label: 'Undo', run: undo });
    }

    async function archive(rows: readonly string[], work: Work): Promise<void> {
      const made = await send(rows, Archive, ids, work);
      const undo = () =>
        void send(idsOf(made), Unarchive, ids).catch(() =>
          notices.warn('This could not be undone: the server does not answer.'),
        );
      notices.say(`${number(made.length)} archived`, { label: 'Undo', run: undo });
    }

    async function unarchive(rows: readonly string[], work: Work): Promise<void> {
      const made = await send(rows, Unarchive, ids, work);
      const undo = () =>
        void send(idsOf(made), Archive, ids).catch(() => notices.warn('This could not be undone: the server does not answer.'));
      notices.say(`${number(made.length)} taken out of the archive`, { label: 'Undo', run: undo });
    }

    /** Deletes them unless that is undone; `earlier` is what a closed page had stored of it. */
    async function remove(
      rows: readonly string[],
      earlier?: { readonly deletes: Deletion; readonly ticket: Ticket },
    ): Promise<Outcome> {
      const name = `${number(rows.length)} applications`;
      const deletes = earlier?.deletes ?? deletion(`${number(rows.length)} deleted`, ...rows);
      const wish = `delete ${name}`;
      return run({
        kept: { mutation: nameOf(Delete), input: { ids: rows }, application: '', name, wish, seen: null, sets: {}, deletes },
        ticket: earlier?.ticket,
        send: async (ticket) => {
          await send(rows, Delete, ids, { kept: true });
          ticket.end();
          return 'made';
        },
      });
    }

    return { move, archive, unarchive, remove };
  }, [client, notices, run]);
}
