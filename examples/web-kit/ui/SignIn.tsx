// Asks who the person is: at the identity provider that the server names, or by an API key or token.

import { Dialog } from 'radix-ui';
import { useState } from 'react';

import { notSignedIn, signIn, useSignInProblem } from '../api/credentials';
import { PROVIDER, PROVIDER_NAME } from '../api/provider';
import '../styles/dialogs.css';

/** `again`: what was given was refused. */
export function SignIn({ again }: { again: boolean }) {
  const problem = useSignInProblem();
  const refused = problem ?? (again ? 'The server refuses what was given.' : null);
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog small">
          <Dialog.Title>Who are you?</Dialog.Title>
          <Dialog.Description>
            {PROVIDER
              ? `${PROVIDER_NAME} tells this server who you are. You are signed in until you sign out or close the browser.`
              : 'This server requires an API key or a token. It is kept until you sign out or close the browser.'}
          </Dialog.Description>
          {PROVIDER ? (
            <>
              {refused && <p role="alert">{refused}</p>}
              <AtProvider />
              <details className="other-credential">
                <summary>Use an API key or a token</summary>
                <KeyForm />
              </details>
            </>
          ) : (
            <KeyForm refused={refused} />
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function AtProvider() {
  const [leaving, setLeaving] = useState(false);
  async function leave(): Promise<void> {
    setLeaving(true);
    try {
      const { begin } = await import('../api/oidc');
      await begin();
    } catch (error) {
      notSignedIn(error instanceof Error && error.name === 'SignInError' ? error.message : 'This part of the page could not be loaded. Try again.');
    } finally {
      // Also who stays on the page, or comes back to it, can leave it.
      setLeaving(false);
    }
  }
  return (
    <div className="buttons">
      <button type="button" className="button primary" disabled={leaving} onClick={() => void leave()}>
        Sign in with {PROVIDER_NAME}
      </button>
    </div>
  );
}

function KeyForm({ refused = null }: { refused?: string | null }) {
  return (
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
      {refused && <p role="alert">{refused}</p>}
      <div className="buttons">
        <button className={PROVIDER ? 'button' : 'button primary'}>Sign in</button>
      </div>
    </form>
  );
}
