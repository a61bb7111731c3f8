// Quick add: a few fields, and the id made here, so that sending it again makes it once. What was typed is there again when
// the dialog was closed by a slip. A link fills what its address says.

import { Dialog } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';
import { newId } from 'trestle-web-kit/api/ids';
import { isReachable } from 'trestle-web-kit/api/network';
import { today } from 'trestle-web-kit/ui/dates';
import { draftOf } from 'trestle-web-kit/ui/drafts';
import { useReturnFocus } from 'trestle-web-kit/ui/focus';
import { NoticeOutlet, useNotices } from 'trestle-web-kit/ui/notices';

import { STATUSES } from '../api/lists';
import { ApplicationStatus, JobSource } from '../gql/graphql';
import { useAway } from '../ui/away';
import { withScheme } from '../ui/links';
import { guessOf } from '../ui/posting';
import { tagsIn } from '../ui/tagLine';
import { enumValue, said, STATUS_WORDS } from '../ui/words';
import { type Created, type NewApplication, useCreate } from './create';
import { Tracked, useTracked } from './Tracked';
import 'trestle-web-kit/styles/dialogs.css';

const FIELDS = ['companyName', 'positionTitle', 'jobPostingUrl', 'location', 'tags'];

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
  const lost = useAway() !== null;
  /** Whether the person was sent on: what is wrong after all cannot be shown beside a field any more. */
  const left = useRef(false);
  const form = useRef<HTMLFormElement>(null);
  /** How the person learned of the job, as the link says. */
  const [source, setSource] = useState<JobSource | null>(null);
  const tracked = useTracked();

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
      ...(text('jobPostingUrl') && { jobPostingUrl: withScheme(text('jobPostingUrl')), ...(source && { jobSource: source }) }),
      ...(text('location') && { location: text('location') }),
      ...(tagsIn(text('tags')).length > 0 && { tags: tagsIn(text('tags')) }),
    };
    const missing = !input.companyName || !input.positionTitle;
    // What would be refused is not shown on the board meanwhile.
    const made = create(input, !missing && !isReachable());
    setSending(missing ? null : companyName);
    const created = await made;
    setSending(null);
    report(created, companyName);
  }

  /** What is typed in a field. */
  function typed(name: string): string {
    const field = form.current?.elements.namedItem(name);
    return field instanceof HTMLInputElement ? field.value.trim() : '';
  }

  /** Looks whether it is there already. */
  function look() {
    const url = typed('jobPostingUrl');
    tracked.look({ url: url && withScheme(url), company: typed('companyName'), position: typed('positionTitle') });
  }

  /** Fills what a link says into what is empty. */
  function fill() {
    const { company = '', position = '', source: from = null } = guessOf(withScheme(typed('jobPostingUrl')));
    setSource(from);
    for (const [name, value] of [['companyName', company], ['positionTitle', position]] as const) {
      const field = form.current?.elements.namedItem(name);
      if (!(field instanceof HTMLInputElement) || field.value.trim() || !value) continue;
      field.value = value;
      draftOf(`add/${name}`).keep(value);
    }
    look();
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog small" aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
          <Dialog.Title>Add an application</Dialog.Title>
          <form
            ref={form}
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
            <Input name="companyName" label="Company" problems={problems} required onBlur={look} />
            <Input name="positionTitle" label="Position" problems={problems} required onBlur={look} />
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
            <Input
              name="jobPostingUrl"
              label="Posting"
              placeholder="https://"
              problems={problems}
              onBlur={fill}
              // The text is there after the event.
              onPaste={() => setTimeout(fill)}
            />
            <div className="pair">
              <Input name="location" label="Location" problems={problems} />
              <Input name="tags" label="Tags" placeholder="with commas" problems={problems} />
            </div>
            <Tracked found={tracked.found} />
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
  onBlur?: () => void;
  onPaste?: () => void;
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
