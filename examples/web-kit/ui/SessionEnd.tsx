// Says that the session ends soon, where nothing renews it.

import { askAgain, useCredentialAsked, useEndsSoon } from '../api/credentials';
import { clock } from './dates';

export function SessionEnd() {
  const end = useEndsSoon();
  const asked = useCredentialAsked();
  return (
    <div role="status">
      {end !== null && asked === 'no' && (
        <p className="banner">
          Your session ends at {clock(new Date(end).toISOString())}. What you change after that waits until you have signed in again.
          <button type="button" className="link" onClick={() => askAgain('Your session ends soon.')}>
            Sign in again
          </button>
        </p>
      )}
    </div>
  );
}
