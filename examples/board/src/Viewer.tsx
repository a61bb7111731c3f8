// Who the person is to the server.

import { CombinedGraphQLErrors } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { useEffect, useMemo } from 'react';
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

/** The first wait before the server is asked again who the person is, and the longest one, in milliseconds. */
const SOON_MS = 1000;
const LONGEST_MS = 60_000;

/** Whether it is the person who has to act, and not the server. */
function isRefused(error: unknown): boolean {
  return CombinedGraphQLErrors.is(error) && error.errors.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED');
}

/** Asks now or later, and again after longer and longer waits: without an answer, what is changed waits. */
function untilAnswered(ask: () => Promise<void>) {
  let wait = SOON_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const later = (failure: unknown) => {
    if (isRefused(failure) || timer !== undefined) return;
    timer = setTimeout(now, wait);
    wait = Math.min(2 * wait, LONGEST_MS);
  };
  const now = () => {
    stop();
    ask().then(() => {
      wait = SOON_MS;
    }, later);
  };
  return { now, later, stop };
}

/** A person's name in what is stored. */
function nameOf({ subject, owner }: NonNullable<Answer['viewer']>): string {
  return JSON.stringify([subject, owner]);
}

/** The name of who is signed in. What such a person may not do is hidden from now on. */
export function Viewer() {
  const { data, error, refetch } = useQuery(ViewerQuery);
  const viewer = data?.viewer;
  const canWrite = viewer?.canWrite;
  useEffect(() => {
    if (canWrite !== undefined) setReadOnly(!canWrite);
  }, [canWrite]);
  const who = viewer && nameOf(viewer);
  useEffect(() => {
    if (who) belongsTo(who);
  }, [who]);
  const asking = useMemo(() => {
    const ask = async () => {
      const { data: now } = await refetch();
      // The same answer as before says something, too: what waits for it is sent then.
      if (now?.viewer) belongsTo(nameOf(now.viewer));
    };
    return untilAnswered(ask);
  }, [refetch]);
  useEffect(() => {
    window.addEventListener(SIGNED_IN, asking.now);
    return () => {
      window.removeEventListener(SIGNED_IN, asking.now);
      asking.stop();
    };
  }, [asking]);
  useEffect(() => {
    if (error) asking.later(error);
  }, [asking, error]);
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
