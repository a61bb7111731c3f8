// Opens a shareable by its short id and a passcode.

import { useState } from 'react';

import { ownName } from '../api/known';
import { openByPasscode, said } from '../api/opening';
import { ShareableRole } from '../gql/graphql';
import { canonical, go, hrefOf } from '../route';

export function OpenForm({ shortId }: { shortId?: string }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function open(form: FormData) {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    setBusy(true);
    setProblem(null);
    try {
      // While the view passcode is paused by wrong ones, the server compares the admin passcode if it is told which one it is.
      const role = form.has('isAdmin') ? ShareableRole.Admin : null;
      const opened = await openByPasscode(shortId ?? canonical(text('shortId')), text('passcode'), role, text('name'));
      if ('problem' in opened) setProblem(opened.problem);
      else go(hrefOf(opened.shortId));
    } catch (error) {
      setProblem(said((error as Error).message));
    }
    setBusy(false);
  }

  return (
    <form
      className="form open-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void open(new FormData(event.currentTarget));
      }}
    >
      {!shortId && (
        <label>
          <span>Short id</span>
          <input name="shortId" placeholder="ABC-DEF-12345" autoCapitalize="characters" autoComplete="off" required />
        </label>
      )}
      <label>
        <span>Passcode</span>
        <input name="passcode" type="password" autoComplete="off" minLength={6} required />
      </label>
      <label>
        <span>Your name, shown with your ticks and votes (optional)</span>
        <input name="name" defaultValue={ownName()} maxLength={80} autoComplete="nickname" />
      </label>
      {problem && (
        <>
          <p role="alert" className="problem">{problem}</p>
          <label className="choice">
            <input type="checkbox" name="isAdmin" />
            <span>This is the admin passcode</span>
          </label>
        </>
      )}
      <div className="buttons">
        <button className="button primary" disabled={busy}>
          Open
        </button>
      </div>
    </form>
  );
}
