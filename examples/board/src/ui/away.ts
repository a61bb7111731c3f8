// Why nothing can be loaded now, as the end of a sentence.

import { useConnection } from 'trestle-web-kit/api/network';

/** Nothing if the server can be reached, as far as is known. */
export function useAway(): string | null {
  const connection = useConnection();
  if (connection === 'offline') return 'you are offline';
  return connection === 'gone' ? 'no answer from the server' : null;
}
