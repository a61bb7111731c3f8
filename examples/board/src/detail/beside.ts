// What belongs to an application beside its fields: contacts and files. They have no version and no history, so that what others
// made of them meanwhile is read just before a change is sent.

import type { ApolloClient, TypedDocumentNode, Unmasked } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useCallback } from 'react';
import type { Ticket } from 'trestle-web-kit/api/queue';
import { useNotices } from 'trestle-web-kit/ui/notices';

import type { Collision } from '../api/change';
import { type KeptChange, type Outcome, useKept } from '../api/kept';
import { readPlaced } from '../api/lists';
import { nameOf } from '../api/name';
import type { Deletion } from '../api/pending';
import { askAbout } from '../asked';
import { graphql } from '../gql';
import type { BesideQuery, PlacedFragment } from '../gql/graphql';
import { said } from '../ui/words';

export const Beside = graphql(`
  query Beside($id: ID!) {
    application(id: $id) {
      id
      contacts {
        contactId
        name
        role
        email
        link
        lastContact
      }
      files {
        fileId
        name
        kind
        contentType
        bytes
        addedAt
        url
      }
    }
  }
`);

/** A contact as `Beside` reads it, where it is read past the mask: by what updates the cache, or from the cache. */
graphql(`
  fragment BesideContact on Contact {
    contactId
    name
    role
    email
    link
    lastContact
  }
`);

/** The same of a file. */
graphql(`
  fragment BesideFile on ApplicationFile {
    fileId
    name
    kind
    contentType
    bytes
    addedAt
    url
  }
`);

const ContactsNow = graphql(`
  query ContactsNow($id: ID!) {
    application(id: $id) {
      id
      contacts {
        ...BesideContact
      }
    }
  }
`);

export const AddContact = graphql(`
  mutation AddContact($input: AddContactInput!) {
    beside: addContact(input: $input) {
      contacts {
        ...BesideContact
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const UpdateContact = graphql(`
  mutation UpdateContact($input: UpdateContactInput!) {
    beside: updateContact(input: $input) {
      contacts {
        ...BesideContact
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const RemoveContact = graphql(`
  mutation RemoveContact($input: RemoveContactInput!) {
    beside: removeContact(input: $input) {
      contacts {
        ...BesideContact
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const AddFile = graphql(`
  mutation AddFile($input: AddFileInput!) {
    beside: addFile(input: $input) {
      files {
        ...BesideFile
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const RemoveFile = graphql(`
  mutation RemoveFile($input: RemoveFileInput!) {
    beside: removeFile(input: $input) {
      files {
        ...BesideFile
      }
      userErrors {
        code
        message
      }
    }
  }
`);

type Held = NonNullable<BesideQuery['application']>;
export type Contact = NonNullable<Held['contacts']>[number];
export type File = NonNullable<Held['files']>[number];

/** What the payloads have in common. */
interface Payload {
  readonly contacts?: readonly Contact[] | null;
  readonly files?: readonly File[] | null;
  readonly userErrors: readonly { readonly code: string; readonly message: string }[];
}

interface Answer {
  readonly beside: Payload | null;
}

/** The answer as its document types it: contacts and files are behind their masks. */
interface Masked {
  readonly beside: Pick<Payload, 'userErrors'> | null;
}

/** A change of a contact or a file. */
export interface BesideChange<TData, TVariables extends { input: object }> {
  readonly application: string;
  readonly mutation: TypedDocumentNode<TData, TVariables>;
  readonly input: TVariables['input'];
  /** What the person wants, as the end of a sentence: `add Kim`. */
  readonly wish: string;
  /** The values that they saw of the contact's fields that change. */
  readonly was?: Readonly<Record<string, string | null>>;
  /** What will most likely be answered. */
  readonly likely?: { readonly contacts?: readonly Contact[]; readonly files?: readonly File[] };
  readonly deletes?: Deletion | undefined;
}

/** Somebody else changed the same of a contact. */
class Changed extends Error {
  constructor(readonly collisions: readonly Collision[]) {
    super('changed elsewhere');
  }
}

/** What the cache holds of an application's contacts, with changes that are still on their way. */
export function contactsOf(client: ApolloClient, id: string): readonly Contact[] {
  const data = client.cache.readQuery({ query: ContactsNow, variables: { id }, optimistic: true });
  return data?.application?.contacts ?? [];
}

/** Sends changes of contacts and files. Each resolves when the person was informed of its result. */
export function useBeside() {
  const client = useApolloClient();
  const notices = useNotices();
  const run = useKept();

  return useCallback(
    async function send<TData extends Masked, TVariables extends { input: object }>(
      change: BesideChange<TData, TVariables>,
      earlier?: { readonly ticket: Ticket; readonly seen: PlacedFragment | null },
    ): Promise<Outcome> {
      const { application, mutation, input, wish, was, likely, deletes } = change;
      const seen = readPlaced(client.cache, application) ?? earlier?.seen ?? null;
      const name = seen ? `${seen.companyName}, ${seen.positionTitle}` : '';
      const sets = {};
      const kept: KeptChange = { mutation: nameOf(mutation), input: entriesOf(input), application, name, wish, seen, sets, was, deletes };
      return run({ kept, ticket: earlier?.ticket, send: (ticket) => decide(ticket).catch((error: unknown) => asked(error, ticket)) });

      async function decide(ticket: Ticket): Promise<Outcome> {
        const { data } = await client.mutate<Answer, { input: object }>({
          mutation: mutation as unknown as TypedDocumentNode<Answer, { input: object }>,
          variables: { input },
          context: { application, kept: true, ...(was && { before: () => unchanged(client, change) }) },
          ...(likely && { optimisticResponse: { __typename: 'Mutation', beside: { ...likely, userErrors: [] } } as Unmasked<Answer> }),
          update: (cache, { data: made }) => {
            const { contacts, files } = made?.beside ?? {};
            cache.modify({
              id: cache.identify({ __typename: 'Application', id: application }),
              fields: { ...(contacts && { contacts: () => contacts }), ...(files && { files: () => files }) },
            });
          },
        });
        ticket.end();
        const answer: Masked['beside'] = data?.beside ?? null;
        const problems = answer?.userErrors ?? [];
        if (answer && problems.length === 0) return 'made';
        if (answer && deletes && problems.every(({ code }) => code === 'NOT_FOUND')) {
          // Gone is what was wanted.
          client.refetchQueries({ include: [Beside] }).catch(() => {});
          return 'made';
        }
        notices.warn(`Could not ${wish}: ${problems.map(({ message }) => said(message)).join(' ') || 'it was not saved.'}`);
        return 'refused';
      }

      function asked(error: unknown, ticket: Ticket): Outcome {
        if (!(error instanceof Changed) || !seen) throw error;
        const { was: _, ...rest } = change;
        // Until the person has decided, it stays stored.
        const mine = () => void send(rest);
        notices.ask(askAbout({ seen, wish, collisions: error.collisions, meanwhile: [], again: mine, end: ticket.end }));
        return 'asked';
      }
    },
    [client, notices, run],
  );
}

/** Rejects if somebody else gave a field of the contact another value than the person saw. */
async function unchanged(
  client: ApolloClient,
  { application, input, was }: { application: string; input: object; was?: Readonly<Record<string, string | null>> | undefined },
): Promise<void> {
  const wanted = entriesOf(input);
  // What was answered, without what the person wants, which the cache has already.
  const variables = { id: application };
  await client.query({ query: ContactsNow, variables, fetchPolicy: 'network-only', context: { kept: true } });
  const data = client.cache.readQuery({ query: ContactsNow, variables });
  const now = data?.application?.contacts?.find(({ contactId }) => contactId === wanted['contactId']);
  // One that was removed is refused by the server, with its reason.
  if (!now) return;
  const values: Readonly<Record<string, unknown>> = now;
  const collisions = Object.entries(was ?? {}).flatMap(([field, before]) => {
    const other = textOf(values[field]);
    const own = textOf(wanted[field]);
    return other === before || other === own ? [] : [{ field, own, other }];
  });
  if (collisions.length > 0) throw new Changed(collisions);
}

function entriesOf(input: object): Readonly<Record<string, unknown>> {
  return { ...input };
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}
