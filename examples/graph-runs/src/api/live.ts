// Follows the person's runs: how far each is, and what others upload.

import { execute } from '@apollo/client';
import { credential } from 'trestle-web-kit/api/credentials';
import { setFollowing } from 'trestle-web-kit/api/network';
import { readAgain } from 'trestle-web-kit/api/readAgain';
import { linkOver, openSocket, wait } from 'trestle-web-kit/api/socket';

import { graphql } from '../gql';
import type { RunChangesSubscription } from '../gql/graphql';
import { client, ENDPOINT } from './client';

const RunChanges = graphql(`
  subscription RunChanges {
    runChanged {
      kind
      run {
        ...RunRow
      }
    }
  }
`);

/**
 * Follows all runs until the answered function is called. Whenever the socket is connected, everything is read anew: what changed
 * before, after it was last read, is in no event.
 */
export function follow(): () => void {
  let stopped = false;
  let failures = 0;
  let stop = () => {};
  const socket = openSocket(ENDPOINT, credential, () => {
    setFollowing(true);
    readAnew();
  });
  const link = linkOver(socket, [RunChanges]);

  function listen(): void {
    const subscription = execute(link, { query: RunChanges }, { client }).subscribe({
      next: ({ data }) => {
        failures = 0;
        const change = (data as RunChangesSubscription | null | undefined)?.runChanged;
        if (change) take(change);
      },
      error: () => void again(),
      complete: () => void again(),
    });
    stop = () => subscription.unsubscribe();
  }

  async function again(): Promise<void> {
    await wait(failures);
    failures += 1;
    if (stopped) return;
    listen();
    readAnew();
  }

  listen();
  return () => {
    stopped = true;
    stop();
    void socket.dispose();
  };
}

function take({ kind, run }: RunChangesSubscription['runChanged']): void {
  if (kind === 'DELETED') {
    client.cache.evict({ id: client.cache.identify(run) });
    client.cache.gc();
    return;
  }
  const id = client.cache.identify(run);
  // The rest of a page that shows the run is read when it is complete.
  client.cache.modify({
    id,
    fields: {
      status: () => run.status,
      isStuck: () => run.isStuck,
      failureReason: () => run.failureReason,
      // With its status: a complete run has its figures from the first moment on.
      summary: () => run.summary,
    },
  });
  readAgain(client, ({ queryName, variables }) => {
    const isList = queryName === 'Runs' && (kind === 'CREATED' || run.status !== 'UPLOADED');
    return isList || (queryName === 'RunPage' && variables['runId'] === run.runId);
  });
}

function readAnew(): void {
  readAgain(client, () => true);
}
