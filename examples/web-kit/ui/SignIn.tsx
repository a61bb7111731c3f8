// Asks for an API key or token.

import { Dialog } from 'radix-ui';

import { signIn } from '../api/credentials';
import '../styles/dialogs.css';

/** `again`: what was given was refused. */
export function SignIn({ again }: { again: boolean }) {
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog small">
          <Dialog.Title>Who are you?</Dialog.Title>
          <Dialog.Description>
            This server requires an API key or a token. It is kept until you sign out or close the browser.
          </Dialog.Description>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              const text = String(new FormData(event.currentTarget).get('credential') ?? '').trim();
              if (text) signIn(text);
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
