// What a person sees who has no applications yet.

import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { href } from '../route';
import { Icon } from '../ui/icons';

export function Welcome() {
  const client = useApolloClient();
  const notices = useNotices();
  const [busy, setBusy] = useState(false);

  async function lookAround() {
    setBusy(true);
    try {
      await (await import('./example')).addExample(client);
    } catch {
      notices.warn('The example could not be added: the server does not answer.');
    }
    setBusy(false);
  }

  return (
    <section className="welcome" aria-label="Start">
      <h2>Keep track of your job search</h2>
      <p>A card for each application, from the first idea to the answer. What you have in a spreadsheet can come along.</p>
      <div className="buttons writes">
        <a className="button primary" href={href('/add')}>
          <Icon name="add" /> Add the first one
        </a>
        <a className="button" href={href('/import')}>
          <Icon name="upload" /> Import a spreadsheet
        </a>
        <button type="button" className="button" disabled={busy} onClick={() => void lookAround()}>
          <Icon name="search" /> Look around with an example
        </button>
      </div>
    </section>
  );
}
