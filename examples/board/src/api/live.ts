// Keeps this browser in step with all others: every change comes over one WebSocket and goes into the
// cache, unless the cache knows better already.

import { type ApolloClient, type ApolloLink, execute, type ObservableQuery, type Unmasked } from '@apollo/client';
import { firstValueFrom } from 'rxjs';
import { opened } from 'trestle-web-kit/api/answer';
import { credential } from 'trestle-web-kit/api/credentials';
import { setFollowing } from 'trestle-web-kit/api/network';
import { isOnItsWay, readAgain } from 'trestle-web-kit/api/readAgain';
import { linkOver, openSocket, wait } from 'trestle-web-kit/api/socket';

import { graphql } from '../gql';
import type { ApplicationChangedSubscription, NewestChangeQuery } from '../gql/graphql';
import { isImporting, progress } from '../importing/progress';
import { forget, newestOf, readPlaced, readStored, settle } from './lists';

const Changed = graphql(`
  subscription ApplicationChanged {
    applicationChanged {
      kind
      applicationId
      version
      application {
        id
        ...Followed
      }
    }
  }
`);

/** With its notes, which a search looks at. */
const Followed = graphql(`
  fragment Followed on Application {
    ...OnBoard
    notes
  }
`);

const NewestChange = graphql(`
  query NewestChange {
    applications(first: 1) {
      edges {
        node {
          id
          version
          updatedAt
        }
      }
    }
  }
`);

type Change = Unmasked<ApplicationChangedSubscription>['applicationChanged'];

/**
 * Follows all changes until the answered function is called. After a gap, in which changes may have
 * been missed, everything that is shown is read anew.
 */
export function follow(client: ApolloClient, endpoint: string): () => void {
  let connections = 0;
  const socket = openSocket(endpoint, credential, (again) => {
    connections += 1;
    void catchUp(again);
  });
  const link = linkOver(socket, [Changed, NewestChange]);
  let stopped = false;
  let failures = 0;
  let stop = listen();
  let paused = false;
  // The server need not send a change for each imported row: all of them are read at the import's end.
  const endPauses = progress.subscribe(() => {
    if (isImporting() === paused) return;
    paused = isImporting();
    if (paused) stop();
    else stop = listen();
  });

  function listen(): () => void {
    // Past the client's own cache: what arrives late must not overwrite what is newer.
    const changes = execute(link, { query: Changed }, { client });
    const own = () => subscription.unsubscribe();
    const again = async () => {
      // The server ends a subscription that takes its changes too slowly: that one is taken up at once.
      await (failures > 0 ? wait(failures) : null);
      failures += 1;
      // Meanwhile an import may have ended it or begun another one.
      if (stopped || paused || stop !== own) return;
      stop = listen();
      void catchUp(true);
    };
    const subscription = changes.subscribe({
      next: (result) => {
        failures = 0;
        take(client, result);
      },
      error: () => void again(),
      complete: () => void again(),
    });
    return own;
  }

  /**
   * The page was read before its changes were followed. Whether something happened in between shows in the
   * newest change of all, at the price of one small read. It is asked for on the same connection, which the
   * server serves in order: once it answers, every further change comes. One since the page was opened may be in
   * some of its answers and not in others.
   */
  async function catchUp(afterGap: boolean): Promise<void> {
    const connection = connections;
    const answer = execute(link, { query: NewestChange }, { client });
    const newest = await firstValueFrom(answer).then(
      ({ data }) => (data as NewestChangeQuery | undefined)?.applications?.edges[0]?.node,
      () => undefined,
    );
    if (stopped || connection !== connections) return;
    setFollowing(true);
    const known = newest && readPlaced(client.cache, newest.id);
    // If the server does not say the time, something may have changed.
    const isOlder = newest && Date.parse(newest.updatedAt) < (opened ?? NaN);
    const missed = newest && !(known && known.version >= newest.version && isOlder);
    // What is on its way may have been read before the changes were followed.
    readAgain(client, afterGap || missed ? () => true : isOnItsWay);
  }

  return () => {
    stopped = true;
    endPauses();
    stop();
    void socket.dispose();
  };
}

/** The queries of what the server counts or sorts, by name. */
const COUNTS = new Set(['Agenda', 'Insight', 'Month', 'Stale', 'Totals']);

/** The queries of lists, whose first page a change may overtake on its way. */
const LISTS = new Set(['Column', 'Table']);

/**
 * What is counted here can be off when something has changed: of an application that this browser has not loaded it is not known
 * what it was counted as, and totals on their way may have a change in them or not. The same holds for a list on its way.
 */
function isOff(query: ObservableQuery): boolean {
  const { queryName = '' } = query;
  return COUNTS.has(queryName) || (LISTS.has(queryName) && isOnItsWay(query));
}

function take(client: ApolloClient, { data }: ApolloLink.Result): void {
  const change: Change | undefined = data?.['applicationChanged'];
  if (!change) return;
  const { cache } = client;
  const before = readStored(cache, change.applicationId);
  readAgain(client, isOff);
  if (change.kind === 'DELETED') {
    forget(cache, change.applicationId, before);
    return;
  }
  const { application } = change;
  if (!application || (before && before.version >= change.version)) return;
  cache.writeFragment({
    fragment: Followed,
    fragmentName: 'Followed',
    id: cache.identify({ __typename: 'Application', id: application.id }),
    data: application,
  });
  settle(cache, before, application);
  for (const query of client.getObservableQueries('active')) {
    // The open page also shows what changed.
    if (query.queryName === 'Detail' && query.variables['id'] === application.id) void again(client, query, application.id);
  }
}

/** How often a page is read again that was changed meanwhile. */
const TRIES = 5;

/** Reads an open page anew. A further change may overtake the answer on its way, which would then take it back. */
async function again(client: ApolloClient, query: ObservableQuery, id: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    await query.refetch().catch(() => {});
    if ((readPlaced(client.cache, id)?.version ?? Infinity) >= newestOf(id)) return;
  }
}
