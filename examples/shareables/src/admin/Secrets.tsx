// New passcodes, and deleting: what the server asks the admin passcode for again.

import { useState } from 'react';

import type { Checklist, Poll } from '../api/data';
import { forget, note } from '../api/known';
import { openByPasscode } from '../api/opening';
import { graphql } from '../gql';
import { ShareableRole } from '../gql/graphql';
import { go, routeOf } from '../route';
import { Copy } from '../share/Copy';
import { useChange } from './useChange';

const ChangePasscodes = graphql(`
  mutation ChangePasscodes($input: ChangePasscodesInput!) {
    changePasscodes(input: $input) {
      madePasscodes {
        view
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
  const [made, setMade] = useState<string | null>(null);

  async function renew() {
    const input = { shortId, passcode, makePasscodes: [ShareableRole.View] };
    const data = await change(ChangePasscodes, { input }, 'There is a new view passcode: the earlier one opens nothing');
    const view = data?.changePasscodes?.madePasscodes?.view;
    if (!view) return;
    note(shortId, { viewPasscode: view });
    setMade(view);
    // The tokens of before may be void.
    await openByPasscode(shortId, passcode, ShareableRole.Admin);
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
          <button type="button" className="button" disabled={busy || !passcode} onClick={() => void renew()}>
            New view passcode
          </button>
          <button type="button" className="button danger" disabled={busy || !passcode} onClick={() => void remove()}>
            Delete
          </button>
        </div>
        {made && <Copy label="New view passcode" text={made} />}
      </div>
    </section>
  );
}
