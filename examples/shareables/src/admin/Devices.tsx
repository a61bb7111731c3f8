// The devices that stay signed in: each opens the list or poll without a passcode, until it is signed out.

import { useQuery } from '@apollo/client/react';
import { ago } from 'trestle-web-kit/ui/dates';

import { known } from '../api/known';
import { SignOut } from '../api/opening';
import { graphql } from '../gql';
import { ShareableRole } from '../gql/graphql';
import { useChange } from './useChange';

const DevicesQuery = graphql(`
  query Devices($shortId: String!, $after: String) {
    shareable(shortId: $shortId) {
      id
      ... on Checklist {
        devices(first: 50, after: $after) {
          ...DevicePage
        }
      }
      ... on Poll {
        devices(first: 50, after: $after) {
          ...DevicePage
        }
      }
    }
  }
`);

export const DevicePage = graphql(`
  fragment DevicePage on DeviceConnection {
    edges {
      node {
        id
        voterName
        role
        usedAt
      }
    }
    pageInfo {
      endCursor
      hasNextPage
    }
  }
`);

export function Devices({ shortId }: { shortId: string }) {
  const { data, fetchMore, refetch } = useQuery(DevicesQuery, {
    variables: { shortId },
    // Read again after a change, it must not share the answer of a request that was sent before.
    context: { shareable: shortId, queryDeduplication: false },
    fetchPolicy: 'cache-and-network',
    nextFetchPolicy: 'cache-first',
  });
  const { busy, change } = useChange(shortId);
  const list = data?.shareable && 'devices' in data.shareable ? data.shareable.devices : null;
  const own = known(shortId)?.deviceId;
  const devices = (list?.edges ?? []).flatMap(({ node }) => node ?? []);

  async function signOut(id: string, name: string): Promise<void> {
    if (await change(SignOut, { input: { id } }, `${name} is signed out`)) await refetch().catch(() => {});
  }

  return (
    <section aria-labelledby="devices-title">
      <h3 id="devices-title">Devices that stay signed in</h3>
      {list && devices.length === 0 && <p className="quiet">None.</p>}
      <ul className="votes" aria-labelledby="devices-title">
        {devices.map(({ id, voterName, role, usedAt }) => {
          const name = voterName || 'Somebody without a name';
          return (
            <li key={id}>
              <span className="grow">
                <b dir="auto">{name}</b>{' '}
                <span className="quiet">
                  {role === ShareableRole.Admin ? 'with the admin passcode' : 'with the view passcode'}, used {ago(usedAt)}
                  {id === own && ', this browser'}
                </span>
              </span>
              {id !== own && (
                <button type="button" className="button" disabled={busy} aria-label={`Sign out ${name}`} onClick={() => void signOut(id, name)}>
                  Sign out
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {devices.length > 0 && (
        <p className="quiet">Whoever still has the passcode can open it again. A new passcode keeps them out.</p>
      )}
      {list?.pageInfo.hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchMore({ variables: { after: list.pageInfo.endCursor } }).catch(() => {})}>
          Show more
        </button>
      )}
    </section>
  );
}
