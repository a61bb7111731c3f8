// Who the person is to the server.

import { useQuery } from '@apollo/client/react';
import { useEffect } from 'react';
import { belongsTo, SIGNED_IN } from 'trestle-web-kit/api/credentials';
import { setReadOnly } from 'trestle-web-kit/api/readOnly';

import { graphql } from './gql';
import type { ViewerQuery as Answer } from './gql/graphql';

const ViewerQuery = graphql(`
  query Viewer {
    viewer {
      subject
      owner
      roles
      canWrite
    }
  }
`);

/** The subject of a server that asks nobody who they are. */
const NOBODY = 'local';

/** A person's name in what is stored. */
function nameOf({ subject, owner }: NonNullable<Answer['viewer']>): string {
  return JSON.stringify([subject, owner]);
}

/** The name of who is signed in. What such a person may not do is hidden from now on. */
export function Viewer() {
  const { data, refetch } = useQuery(ViewerQuery);
  const viewer = data?.viewer;
  const canWrite = viewer?.canWrite;
  useEffect(() => {
    if (canWrite !== undefined) setReadOnly(!canWrite);
  }, [canWrite]);
  const who = viewer && nameOf(viewer);
  useEffect(() => {
    if (who) belongsTo(who);
  }, [who]);
  useEffect(() => {
    // The same answer as before says something, too: what waits for it is sent then.
    const again = () => void refetch().then(({ data: now }) => now?.viewer && belongsTo(nameOf(now.viewer)), () => {});
    window.addEventListener(SIGNED_IN, again);
    return () => window.removeEventListener(SIGNED_IN, again);
  }, [refetch]);
  if (!viewer || viewer.subject === NOBODY) return null;
  const { subject, owner, roles } = viewer;
  const more = [owner && owner !== subject && `applications of ${owner}`, roles.length > 0 && `roles: ${roles.join(', ')}`];
  const about = more.filter(Boolean).join('; ');
  return (
    <span className="viewer" title={about || undefined}>
      <span className="visually-hidden">Signed in as </span>
      <b dir="auto">{subject}</b>
      {about && <span className="visually-hidden">, {about}</span>}
    </span>
  );
}
