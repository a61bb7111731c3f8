// Who the person is to the server.

import { useQuery } from '@apollo/client/react';
import { useEffect } from 'react';
import { belongsTo } from 'trestle-web-kit/api/credentials';
import { setReadOnly } from 'trestle-web-kit/api/readOnly';

import { graphql } from './gql';

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

/** The name of who is signed in. What such a person may not do is hidden from now on. */
export function Viewer() {
  const { data } = useQuery(ViewerQuery);
  const viewer = data?.viewer;
  const canWrite = viewer?.canWrite;
  useEffect(() => {
    if (canWrite !== undefined) setReadOnly(!canWrite);
  }, [canWrite]);
  const who = viewer && JSON.stringify([viewer.subject, viewer.owner]);
  useEffect(() => {
    if (who) belongsTo(who);
  }, [who]);
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
