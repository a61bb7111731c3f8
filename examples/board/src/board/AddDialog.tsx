// Quick add: four fields, and the id made here, so that sending it again makes it once. What was typed is there again when
// the dialog was closed by a slip.

import { useApolloClient } from '@apollo/client/react';
import { Dialog } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';
import { newId } from 'trestle-web-kit/api/ids';
import { isReachable, useConnection } from 'trestle-web-kit/api/network';
import { today } from 'trestle-web-kit/ui/dates';
import { draftOf } from 'trestle-web-kit/ui/drafts';
import { useReturnFocus } from 'trestle-web-kit/ui/focus';
import { NoticeOutlet, useNotices } from 'trestle-web-kit/ui/notices';

import { STATUSES } from '../api/lists';
import { graphql } from '../gql';
import { ApplicationStatus, type SamePostingQuery } from '../gql/graphql';
import { href } from '../route';
import { withScheme } from '../ui/links';
import { enumValue, said, STATUS_WORDS } from '../ui/words';
import { type Created, type NewApplication, useCreate } from './create';
import 'trestle-web-kit/styles/dialogs.css';

const SamePosting = graphql(`
  query SamePosting($urls: [String!]!) {
    applications(filter: { jobPostingUrls: $urls, archived: INCLUDE }, first: 1) {
      edges {
        node {
          id
          companyName
          positionTitle
          status
        }
      }
    }
  }
`);

type Same = NonNullable<NonNullable<SamePostingQuery['applications']>['edges'][number]['node']>;

const FIELDS = ['companyName', 'positionTitle', 'jobPostingUrl'];

function forgetDrafts(): void {
  for (const field of FIELDS) draftOf(`add/${field}`).drop();
}

export function AddDialog({ status, onClose }: { status: string; onClose: () => void }) {
  const notices = useNotices();
  const returnFocus = useReturnFocus();
  const id = useRef(newId());
  const create = useCreate();
  const [sending, setSending] = useState<string | null>(null);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const connection = useConnection();
  const lost = connection === 'offline' || connection === 'gone';
  /** Whether the person was sent on: what is wrong after all cannot be shown beside a field any more. */
  const left = useRef(false);

  // Nobody waits in a dialog for a server that is gone: the application is stored, and sent later.
  useEffect(() => {
    if (!sending || !lost || left.current) return;
    left.current = true;
    forgetDrafts();
    notices.say(`${sending} is added as soon as the server can be reached`);
    onClose();
  }, [sending, lost, notices, onClose]);

  function report(created: Created, name: string) {
    if (created.now === 'made') {
      if (!left.current) {
        forgetDrafts();
        onClose();
      }
      notices.say(`${name} added`);
      return;
    }
    if (created.now === 'lost') {
      notices.warn(`${name} could not be saved: the server does not answer.`);
      return;
    }
    // A value that has not even its scalar's form is refused before the mutation runs.
    const found =
      created.now === 'refused'
        ? { jobPostingUrl: said(created.message) }
        : Object.fromEntries(created.problems.map(({ field, message }) => [field?.[0] ?? '', said(message)]));
    if (left.current) notices.warn(`${name} was not added: ${Object.values(found).join(' ')}`);
    else setProblems(found);
  }

  async function save(form: FormData) {
    if (sending) return;
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const companyName = text('companyName');
    const chosen = enumValue(ApplicationStatus, text('status'));
    const input: NewApplication = {
      id: id.current,
      companyName,
      positionTitle: text('positionTitle'),
      ...(chosen && { status: chosen }),
      // The day is the person's: the server would take its own.
      ...(chosen && chosen !== 'UNSUBMITTED' && { dateApplied: today() }),
      ...(text('jobPostingUrl') && { jobPostingUrl: withScheme(text('jobPostingUrl')) }),
    };
    const missing = !input.companyName || !input.positionTitle;
    // What would be refused is not shown on the board meanwhile.
    const made = create(input, !missing && !isReachable());
    setSending(missing ? null : companyName);
    const created = await made;
    setSending(null);
    report(created, companyName);
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog small" aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
          <Dialog.Title>Add an application</Dialog.Title>
          <form
            className="form"
            noValidate
            onInput={({ target }) => {
              if (target instanceof HTMLInputElement) draftOf(`add/${target.name}`).keep(target.value);
            }}
            onSubmit={(event) => {
              event.preventDefault();
              void save(new FormData(event.currentTarget));
            }}
          >
            <Input name="companyName" label="Company" problems={problems} required />
            <Input name="positionTitle" label="Position" problems={problems} required />
            <label>
              <span>Column</span>
              <select name="status" defaultValue={status}>
                {STATUSES.map((value) => (
                  <option key={value} value={value}>
                    {STATUS_WORDS[value]}
                  </option>
                ))}
              </select>
            </label>
            <Posting problems={problems} />
            {problems[''] && <p role="alert">{problems['']}</p>}
            <div className="buttons">
              <Dialog.Close className="button" onClick={forgetDrafts}>
                Cancel
              </Dialog.Close>
              <button className="button primary" disabled={sending !== null}>
                Add
              </button>
            </div>
          </form>
          <NoticeOutlet />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The link to the posting. One that is tracked already is no mistake, but worth knowing. */
function Posting({ problems }: { problems: Record<string, string> }) {
  const client = useApolloClient();
  const [same, setSame] = useState<Same | null>(null);
  const asked = useRef('');

  async function look(text: string) {
    const url = withScheme(text.trim());
    if (url === asked.current) return;
    asked.current = url;
    setSame(null);
    if (!url || !isReachable()) return;
    try {
      // Stored as it was typed, or as an import completed it.
      const urls = [...new Set([url, URL.parse(url)?.href ?? url])];
      const { data } = await client.query({ query: SamePosting, variables: { urls }, fetchPolicy: 'no-cache' });
      const node = data?.applications?.edges[0]?.node ?? null;
      if (asked.current === url) setSame(node);
    } catch {
      // Only a warning, which is not worth one of its own.
    }
  }

  return (
    <>
      <Input
        name="jobPostingUrl"
        label="Posting"
        placeholder="https://"
        problems={problems}
        onBlur={(event) => void look(event.currentTarget.value)}
      />
      {same && (
        <p className="quiet" role="status">
          You track this posting already:{' '}
          <a href={href(`/applications/${same.id}`)}>
            {same.companyName}, {same.positionTitle}
          </a>{' '}
          ({STATUS_WORDS[same.status]})
        </p>
      )}
    </>
  );
}

function Input({
  name,
  label,
  problems,
  ...rest
}: {
  name: string;
  label: string;
  problems: Record<string, string>;
  required?: boolean;
  placeholder?: string;
  onBlur?: (event: React.FocusEvent<HTMLInputElement>) => void;
}) {
  const problem = problems[name];
  return (
    <label>
      <span>{label}</span>
      <input
        name={name}
        defaultValue={draftOf(`add/${name}`).read() ?? ''}
        autoComplete="off"
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${name}-problem` : undefined}
        {...rest}
      />
      {problem && (
        <em id={`${name}-problem`} role="alert">
          {problem}
        </em>
      )}
    </label>
  );
}
