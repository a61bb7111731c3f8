// Signing out, which forgets everything: also what was not sent yet, and so asks first.

import { signOut } from '../api/credentials';
import { useWaiting } from '../api/queue';
import { Drawing, EXIT } from './icons';
import { number } from './dates';

export function SignOut() {
  const waiting = useWaiting();
  const lost = waiting === 1 ? '1 change was not sent yet, and is lost' : `${number(waiting)} changes were not sent yet, and are lost`;
  return (
    <button
      type="button"
      className="button"
      aria-label="Sign out"
      onClick={() => {
        if (waiting === 0 || window.confirm(`${lost} if you sign out now. Sign out?`)) signOut();
      }}
    >
      <Drawing path={EXIT} /> <span>Sign out</span>
    </button>
  );
}
