// Contacts and files of an application, read on their own: an application opens without them, too.

import { useQuery } from '@apollo/client/react';
import { useEffect } from 'react';

import { useReason } from '../api/reason';
import { NotLoaded } from '../ui/NotLoaded';
import { useAway } from '../ui/away';
import { Beside } from './beside';
import { Contacts } from './Contacts';
import { Files } from './Files';

/** Addresses of files hold for a quarter of an hour. */
const ANEW_MS = 10 * 60_000;

export function Besides({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(Beside, {
    variables: { id },
    fetchPolicy: 'cache-and-network',
    errorPolicy: 'all',
  });
  const reason = useReason(error);
  const hasFiles = (data?.application?.files?.length ?? 0) > 0;
  useEffect(() => {
    const again = () => void refetch().catch(() => {});
    const timer = hasFiles ? setInterval(again, ANEW_MS) : undefined;
    // Others may have changed them meanwhile: no live change says so.
    const seen = () => document.visibilityState === 'visible' && again();
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [refetch, hasFiles]);
  const { contacts, files } = data?.application ?? {};
  const away = useAway();
  return (
    <>
      {away !== null && reason === null && !(contacts && files) && (
        <p className="beside-error quiet" role="status">
          Contacts and files are not loaded: {away}.
        </p>
      )}
      {reason !== null && !(contacts && files) && <NotLoaded className="beside-error" what="Contacts and files" reason={reason} again={refetch} />}
      {contacts && <Contacts application={id} contacts={contacts} />}
      {files && <Files application={id} files={files} />}
    </>
  );
}
