// The people to talk to about an application, each field edited where it stands.

import { useApolloClient } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { newId } from 'trestle-web-kit/api/ids';
import { day } from 'trestle-web-kit/ui/dates';
import { DraftScope, useDraft } from 'trestle-web-kit/ui/drafts';
import { besides } from 'trestle-web-kit/ui/focus';

import { deletion, useHidden } from '../api/pending';
import { Icon } from '../ui/icons';
import { AddContact, type Contact, contactsOf, RemoveContact, UpdateContact, useBeside } from './beside';
import type { Kind } from './Editor';
import { InPlace } from './InPlace';

/** As many as the API takes for one application. */
const MOST = 20;

type Field = 'name' | 'role' | 'email' | 'link' | 'lastContact';

const FIELDS: readonly { readonly name: Exclude<Field, 'name'>; readonly label: string; readonly kind: Kind }[] = [
  { name: 'role', label: 'Role', kind: { type: 'text', maxLength: 200 } },
  { name: 'email', label: 'Email', kind: { type: 'email', maxLength: 254 } },
  { name: 'link', label: 'Link', kind: { type: 'url' } },
  { name: 'lastContact', label: 'Last contact', kind: { type: 'date' } },
];

export function Contacts({ application, contacts }: { application: string; contacts: readonly Contact[] }) {
  const hidden = useHidden();
  return (
    <section className="beside" aria-labelledby="contacts-title">
      <h2 id="contacts-title">Contacts</h2>
      <ul>
        {contacts.filter(({ contactId }) => !hidden.has(contactId)).map((contact) => (
          <DraftScope key={contact.contactId} value={contact.contactId}>
            <ContactItem application={application} contact={contact} />
          </DraftScope>
        ))}
      </ul>
      {contacts.length < MOST ? (
        <Add application={application} />
      ) : (
        <p className="quiet">An application holds {MOST} contacts at most.</p>
      )}
    </section>
  );
}

function ContactItem({ application, contact }: { application: string; contact: Contact }) {
  const client = useApolloClient();
  const send = useBeside();
  const { contactId, name } = contact;

  function edit(field: Field, value: string | null) {
    const likely = contactsOf(client, application).map((other) =>
      other.contactId === contactId ? { ...other, [field]: value } : other,
    );
    return send({
      application,
      mutation: UpdateContact,
      input: { applicationId: application, contactId, [field]: value },
      wish: `change ${name}`,
      was: { [field]: contact[field] },
      likely: { contacts: likely },
    });
  }

  function remove() {
    void send({
      application,
      mutation: RemoveContact,
      input: { applicationId: application, contactId },
      wish: `remove ${name}`,
      deletes: deletion(`${name} removed`, contactId),
    });
  }

  return (
    <li>
      <div className="beside-head">
        <InPlace
          label="Contact"
          className="beside-name"
          value={name}
          kind={{ type: 'text', maxLength: 200, required: true }}
          save={(text) => edit('name', text)}
        />
        {contact.email && (
          <a className="bare" href={`mailto:${contact.email}`} aria-label={`Write to ${name}`}>
            <Icon name="mail" />
          </a>
        )}
        {contact.link && (
          <a className="bare" href={contact.link} target="_blank" rel="noreferrer" aria-label={`Open the page of ${name}`}>
            <Icon name="external" />
          </a>
        )}
        <button
          type="button"
          className="bare writes"
          aria-label={`Remove ${name}`}
          onClick={({ currentTarget }) => {
            const item = currentTarget.closest('li');
            (besides(item, '[aria-label^="Remove "]') ?? item?.closest('section')?.querySelector('input'))?.focus();
            remove();
          }}
        >
          <Icon name="close" />
        </button>
      </div>
      <dl className="chips">
        {FIELDS.map(({ name: field, label, kind }) => (
          <div key={field} className={contact[field] ? '' : 'unfilled'}>
            <dt>{label}</dt>
            <dd>
              <InPlace
                label={`${label} of ${name}`}
                short={label}
                value={contact[field] ?? ''}
                {...(field === 'lastContact' && { shown: day })}
                {...(field === 'link' && { shown: (url: string) => url.replace(/^https?:\/\/(www\.)?/u, '') })}
                kind={kind}
                save={(text) => edit(field, text)}
                chip
              />
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function Add({ application }: { application: string }) {
  const client = useApolloClient();
  const send = useBeside();
  const draft = useDraft('New contact');
  const [text, setText] = useState(() => draft.read() ?? '');
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);

  function add() {
    const input = contactIn(text);
    if (input === null) return;
    if ('problem' in input) {
      setProblem(input.problem);
      field.current?.focus();
      return;
    }
    const contact = { contactId: newId(), role: null, email: null, link: null, lastContact: null, ...input };
    setText('');
    draft.drop();
    field.current?.focus();
    const likely = [...contactsOf(client, application), { __typename: 'Contact' as const, ...contact }];
    void send({
      application,
      mutation: AddContact,
      input: { applicationId: application, ...contact },
      wish: `add ${contact.name}`,
      likely: { contacts: likely },
    }).then((outcome) => {
      // What was typed is not lost with what was refused.
      if (outcome !== 'made') setText((now) => now || text);
    });
  }

  return (
    <>
      <form
        className="add-stage writes"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <input
          ref={field}
          aria-label="New contact"
          placeholder="Add a person, such as “Kim Lee <kim@example.com>”"
          maxLength={460}
          value={text}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : 'contact-problem'}
          onChange={(event) => {
            setProblem(null);
            setText(event.target.value);
            draft.keep(event.target.value);
          }}
        />
        <button className="button" disabled={text.trim() === ''}>
          <Icon name="add" /> Add contact
        </button>
      </form>
      {problem !== null && (
        <p role="alert" id="contact-problem">
          {problem}
        </p>
      )}
    </>
  );
}

/** A name, an email address, or both as mail programs write them; what to write instead of something else. */
function contactIn(text: string): { name: string; email?: string } | { problem: string } | null {
  const plain = text.trim();
  const [, name, email] = /^(.*?)\s*<?([^\s<>@]+@[^\s<>@]+)>?$/u.exec(plain) ?? [];
  const [, before, within] = /^([^<]*)<([^>]*)>?\s*$/u.exec(plain) ?? [];
  if (within !== undefined && !email) {
    const person = before?.trim() || 'Kim Lee';
    return { problem: `“${within.trim()}” is not an email address: write ${person} <kim@example.com>, or ${person} alone.` };
  }
  if (!email) return plain ? { name: plain.slice(0, 200) } : null;
  return { name: (name?.replace(/^["“]|["”]$/gu, '').trim() || email).slice(0, 200), email };
}
