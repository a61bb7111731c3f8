// Asks for an API key or token.

import { useApolloClient } from '@apollo/client/react';
import { Dialog } from 'radix-ui';

import { signIn } from './api/credentials';

/** `again`: what was given was refused. */
export function SignIn({ again }: { again: boolean }) {
  const apollo = useApolloClient();
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog small">
          <Dialog.Title>Who are you?</Dialog.Title>
          <Dialog.Description>
            This server requires an API key or a token. It is kept until you close the tab.
          </Dialog.Description>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              const text = String(new FormData(event.currentTarget).get('credential') ?? '').trim();
              if (!text) return;
              signIn(text);
              apollo.refetchQueries({ include: 'active' }).catch(() => {});
            }}
          >
            <label>
              <span>API key or token</span>
              <input name="credential" type="password" autoComplete="off" required />
            </label>
            {again && <p role="alert">The server refuses what was given.</p>}
            <div className="buttons">
              <button className="button primary">Sign in</button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
