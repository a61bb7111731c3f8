// Makes a checklist or a poll, and opens it as its admin.

import { CombinedGraphQLErrors } from '@apollo/client';
import { useState } from 'react';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { client } from '../api/client';
import { keepOwnName, note, ownName } from '../api/known';
import { openByPasscode, said, words } from '../api/opening';
import { keepToken } from '../api/session';
import { graphql } from '../gql';
import { type CreateShareableInput, ShareableRole, ViewerPermission } from '../gql/graphql';
import { go, hrefOf } from '../route';
import { Made, type MadeSecrets } from '../share/Made';
import { daysIn, notDays } from '../ui/days';
import { lines } from '../ui/lines';
import { Calendar } from './Calendar';

const Create = graphql(`
  mutation Create($input: CreateShareableInput!) {
    createShareable(input: $input) {
      madePasscodes {
        admin
        view
      }
      invitations {
        secret
        invitation {
          id
          name
        }
      }
      shareable {
        id
        shortId
        name
      }
      token {
        token
        expiresAt
        kind
        role
        voterName
      }
      userErrors {
        message
        field
      }
    }
  }
`);

function checklist(form: FormData): CreateShareableInput['checklist'] {
  const note = String(form.get('note') ?? '').trim();
  return {
    items: lines(String(form.get('items') ?? '')),
    ...(note && { note }),
    viewersMay: Object.values(ViewerPermission).filter((each) => form.getAll('may').includes(each)),
  };
}

/** What is written for days. */
function daysOf(form: FormData): string {
  return String(form.get('days') ?? '');
}

function poll(form: FormData): CreateShareableInput['poll'] {
  const closesAt = String(form.get('closesAt') ?? '');
  const has = (name: string) => form.get(name) !== null;
  return {
    question: String(form.get('question') ?? '').trim(),
    options: lines(String(form.get('options') ?? '')).map(({ name }) => name),
    times: daysIn(daysOf(form)).map((day) => ({ day })),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    allowsSeveral: has('allowsSeveral'),
    allowsMaybe: has('allowsMaybe'),
    hidesResults: has('hidesResults'),
    hidesNames: has('hidesNames'),
    voters: lines(String(form.get('voters') ?? '')).map(({ name }) => name),
    ...(closesAt && { closesAt: new Date(closesAt).toISOString() }),
  };
}

export function Make({ kind }: { kind: 'checklist' | 'poll' }) {
  const notices = useNotices();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [made, setMade] = useState<MadeSecrets | null>(null);

  async function make(form: FormData) {
    const name = String(form.get('name') ?? '').trim();
    const voterName = String(form.get('voterName') ?? '').trim();
    keepOwnName(voterName);
    const input: CreateShareableInput = {
      name,
      ...(voterName && { voterName }),
      ...(kind === 'poll' ? { poll: poll(form) } : { checklist: checklist(form) }),
    };
    // Made twice, it would be there twice: what does not get through is not sent again by itself.
    const { data } = await client.mutate({ mutation: Create, variables: { input }, context: { once: true } });
    const payload = data?.createShareable;
    const { admin, view } = payload?.madePasscodes ?? {};
    if (!payload?.shareable || !payload.token || !admin || !view) {
      setProblem(words(payload?.userErrors));
      return;
    }
    const { shortId } = payload.shareable;
    const { token, expiresAt, kind: type, role } = payload.token;
    note(shortId, { kind: type, role, name, voterName: voterName || null, viewPasscode: view });
    keepToken(shortId, { token, expiresAt: expiresAt ?? null });
    // To stay signed in. If it fails, the passcodes are shown nevertheless.
    await openByPasscode(shortId, admin, ShareableRole.Admin, voterName).catch(() => {});
    const links = (payload.invitations ?? []).map(({ secret, invitation }) => ({ secret, name: invitation.name }));
    setMade({ shortId, name, admin, view, links });
  }

  async function submit(form: FormData) {
    setBusy(true);
    const others = notDays(daysOf(form));
    if (others.length > 0) {
      const named = others.map((text) => `“${text}”`).join(', ');
      setProblem(`${named} ${others.length === 1 ? 'is not a date' : 'are not dates'} such as 2027-07-10.`);
      setBusy(false);
      return;
    }
    setProblem(null);
    try {
      await make(form);
    } catch (error) {
      const why = CombinedGraphQLErrors.is(error) ? said(error.errors[0]?.message ?? '') : 'The server does not answer. Look at the first page before you try again.';
      setProblem(why);
      notices.warn('This was not made.');
    }
    setBusy(false);
  }

  if (made) return <Made {...made} onDone={() => go(hrefOf(made.shortId))} />;
  return (
    <main className="page" id="content" tabIndex={-1}>
      <h1>{kind === 'poll' ? 'New poll' : 'New checklist'}</h1>
      <form
        className="form panel"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void submit(new FormData(event.currentTarget));
        }}
      >
        <label>
          <span>Name</span>
          <input name="name" required maxLength={120} placeholder={kind === 'poll' ? 'Summer trip' : 'Packing list'} />
        </label>
        {kind === 'poll' ? <PollFields /> : <ChecklistFields />}
        <label>
          <span>Your name, shown with your ticks and votes (optional)</span>
          <input name="voterName" maxLength={80} defaultValue={ownName()} autoComplete="nickname" />
        </label>
        {problem && <p role="alert" className="problem">{problem}</p>}
        <div className="buttons">
          <a className="button" href="#/">
            Cancel
          </a>
          <button className="button primary" disabled={busy}>
            Make it
          </button>
        </div>
      </form>
    </main>
  );
}

function ChecklistFields() {
  return (
    <>
      <label>
        <span>Items, one on each line</span>
        <textarea name="items" rows={7} placeholder={'Tent\nSleeping bags\nStove'} />
      </label>
      <label>
        <span>Note (optional)</span>
        <textarea name="note" rows={2} maxLength={2000} />
      </label>
      <fieldset>
        <legend>What friends may do</legend>
        <Choice name="may" value={ViewerPermission.Tick} on>
          Tick items
        </Choice>
        <Choice name="may" value={ViewerPermission.Add} on>
          Add items
        </Choice>
        <Choice name="may" value={ViewerPermission.Edit}>Change the texts of items</Choice>
      </fieldset>
    </>
  );
}

function PollFields() {
  const [days, setDays] = useState('');
  return (
    <>
      <label>
        <span>Question</span>
        <input name="question" required maxLength={300} placeholder="Which weekend?" />
      </label>
      <label>
        <span>Options, one on each line</span>
        <textarea name="options" rows={4} placeholder={'The lake\nThe mountains'} />
      </label>
      <label>
        <span>Days as options, such as 2027-07-10 (optional)</span>
        <input
          name="days"
          placeholder="2027-07-10, 2027-07-17"
          value={days}
          onInput={({ currentTarget }) => setDays(currentTarget.value)}
        />
      </label>
      <details>
        <summary>Pick days in a calendar</summary>
        <Calendar picked={daysIn(days)} onPick={(picked) => setDays([...notDays(days), ...picked].join(', '))} />
      </details>
      <fieldset>
        <legend>Votes</legend>
        <Choice name="allowsSeveral">Several options</Choice>
        <Choice name="allowsMaybe">“If need be” as an answer</Choice>
        <Choice name="hidesResults">Results are hidden until the poll closes</Choice>
        <Choice name="hidesNames">Only you see who voted</Choice>
      </fieldset>
      <label>
        <span>Closes at (optional)</span>
        <input name="closesAt" type="datetime-local" />
      </label>
      <label>
        <span>Only these people vote, one on each line (optional). Each gets a personal link.</span>
        <textarea name="voters" rows={2} />
      </label>
    </>
  );
}

function Choice({ name, value, on, children }: { name: string; value?: string; on?: boolean; children: string }) {
  return (
    <label className="choice">
      <input type="checkbox" name={name} value={value ?? 'on'} defaultChecked={on ?? false} />
      <span>{children}</span>
    </label>
  );
}
