// Quick add: four fields, and the id made here, so that sending it again makes it once. What was typed is there again when
// the dialog was closed by a slip.

import { CombinedGraphQLErrors } from '@apollo/client';
import { useMutation } from '@apollo/client/react';
import { Dialog } from 'radix-ui';
import { useRef, useState } from 'react';

import { newId } from '../api/ids';
import { settle, STATUSES } from '../api/lists';
import { graphql } from '../gql';
import { ApplicationStatus } from '../gql/graphql';
import { draftOf } from '../ui/drafts';
import { useReturnFocus } from '../ui/focus';
import { NoticeOutlet, useNotices } from '../ui/notices';
import { enumValue, said, STATUS_WORDS, today } from '../ui/words';

const Create = graphql(`
  mutation QuickAdd($input: CreateApplicationInput!) {
    createApplication(input: $input) {
      application {
        id
        ...OnBoard
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const FIELDS = ['companyName', 'positionTitle', 'jobPostingUrl'];

function forgetDrafts(): void {
  for (const field of FIELDS) draftOf(`add/${field}`).drop();
}

export function AddDialog({ status, onClose }: { status: string; onClose: () => void }) {
  const notices = useNotices();
  const returnFocus = useReturnFocus();
  const id = useRef(newId());
  const [create, { loading }] = useMutation(Create);
  const [problems, setProblems] = useState<Record<string, string>>({});

  async function save(form: FormData) {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const companyName = text('companyName');
    const chosen = enumValue(ApplicationStatus, text('status'));
    try {
      const { data } = await create({
        variables: {
          input: {
            id: id.current,
            companyName,
            positionTitle: text('positionTitle'),
            ...(chosen && { status: chosen }),
            // The day is the person's: the server would take its own.
            ...(chosen && chosen !== 'UNSUBMITTED' && { dateApplied: today() }),
            ...(text('jobPostingUrl') && { jobPostingUrl: text('jobPostingUrl') }),
          },
        },
        update: (cache, { data: made }) => settle(cache, null, made?.createApplication?.application),
      });
      const errors = data?.createApplication?.userErrors ?? [];
      if (errors.length > 0) {
        setProblems(
          Object.fromEntries(errors.map(({ field, message }) => [field?.[0] ?? '', said(message)])),
        );
        return;
      }
      forgetDrafts();
      notices.say(`${companyName} added`);
      onClose();
    } catch (error) {
      // A value that has not even its scalar's form is refused before the mutation runs.
      if (CombinedGraphQLErrors.is(error)) setProblems({ jobPostingUrl: said(error.message) });
      else notices.warn('This could not be saved: the server does not answer.');
    }
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
            <Input name="jobPostingUrl" label="Posting" placeholder="https://" problems={problems} />
            {problems[''] && <p role="alert">{problems['']}</p>}
            <div className="buttons">
              <Dialog.Close className="button" onClick={forgetDrafts}>
                Cancel
              </Dialog.Close>
              <button className="button primary" disabled={loading}>
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
