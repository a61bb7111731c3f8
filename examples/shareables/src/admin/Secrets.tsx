// New passcodes, and deleting: what the server asks the admin passcode for again.

import { useState } from 'react';

import type { Checklist, Poll } from '../api/data';
import { forget, note } from '../api/known';
import { keepToken } from '../api/session';
import { graphql } from '../gql';
import { ShareableRole } from '../gql/graphql';
import { go, linkOf, routeOf } from '../route';
import { Copy } from '../share/Copy';
import { Guesses } from './Guesses';
import { useChange } from './useChange';

const ChangePasscodes = graphql(`
  mutation ChangePasscodes($input: ChangePasscodesInput!) {
    changePasscodes(input: $input) {
      madePasscodes {
        view
        admin
      }
      token {
        token
        expiresAt
      }
      refreshToken {
        refreshToken
      }
      userErrors {
        message
      }
    }
  }
`);

const Delete = graphql(`
  mutation DeleteShareable($input: DeleteShareableInput!) {
    deleteShareable(input: $input) {
      deletedId
      userErrors {
        message
      }
    }
  }
`);

export function Secrets({ shareable, onDeleted }: { shareable: Checklist | Poll; onDeleted: () => void }) {
  const { shortId, name } = shareable;
  const { busy, change } = useChange(shortId);
  const [passcode, setPasscode] = useState('');
  const [made, setMade] = useState<{ readonly view?: string; readonly admin?: string }>({});

  async function renew(role: ShareableRole) {
    const input = { shortId, passcode, makePasscodes: [role] };
    const which = role === ShareableRole.Admin ? 'admin' : 'view';
    const data = await change(ChangePasscodes, { input }, `There is a new ${which} passcode: the earlier one opens nothing`);
    const { madePasscodes, token, refreshToken } = data?.changePasscodes ?? {};
    // The earlier ones may open nothing any more.
    if (token) keepToken(shortId, { token: token.token, expiresAt: token.expiresAt ?? null });
    if (refreshToken) note(shortId, { refreshToken: refreshToken.refreshToken });
    const view = madePasscodes?.view;
    if (view) note(shortId, { viewPasscode: view });
    const admin = madePasscodes?.admin;
    // What comes next needs the new one.
    if (admin) setPasscode(admin);
    setMade((before) => ({ ...before, ...(view && { view }), ...(admin && { admin }) }));
  }

  async function remove() {
    if (!window.confirm(`Delete “${name}” for everyone, for good?`)) return;
    const data = await change(Delete, { input: { shortId, passcode } }, `${name} is deleted`);
    if (!data) return;
    forget(shortId);
    onDeleted();
    // The event of it may have come before the answer, and the person may be elsewhere by now.
    const at = routeOf(window.location.hash);
    if (at.page === 'shareable' && at.shortId === shortId) go('#/');
  }

  return (
    <section aria-labelledby="secrets-title">
      <h3 id="secrets-title">With the admin passcode</h3>
      <Guesses shortId={shortId} />
      <div className="form">
        <label>
          <span>Admin passcode</span>
          <input
            type="password"
            autoComplete="off"
            value={passcode}
            onInput={({ currentTarget }) => setPasscode(currentTarget.value)}
          />
        </label>
        <div className="buttons">
          <button type="button" className="button" disabled={busy || !passcode} onClick={() => void renew(ShareableRole.View)}>
            New view passcode
          </button>
          <button type="button" className="button" disabled={busy || !passcode} onClick={() => void renew(ShareableRole.Admin)}>
            New admin passcode
          </button>
          <button type="button" className="button danger" disabled={busy || !passcode} onClick={() => void remove()}>
            Delete
          </button>
        </div>
        {made.view && (
          <>
            <Copy label="New view passcode" text={made.view} />
            <Copy label="New link" text={linkOf(shortId, { kind: 'passcode', text: made.view }, name)} />
          </>
        )}
        {made.admin && (
          <>
            <Copy label="New admin passcode" text={made.admin} />
            <p className="quiet">It is shown this once, and not stored in this browser: write it down.</p>
          </>
        )}
      </div>
    </section>
  );
}
