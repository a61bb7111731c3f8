// The people who are invited to a poll. A personal link is shown once; whoever lost theirs gets a new one.

import { useQuery } from '@apollo/client/react';
import { useState } from 'react';

import { graphql } from '../gql';
import { linkOf } from '../route';
import { Copy } from '../share/Copy';
import { useChange } from './useChange';

const InvitationsQuery = graphql(`
  query Invitations($shortId: String!) {
    shareable(shortId: $shortId) {
      id
      ... on Poll {
        invitations {
          id
          name
          hasVoted
        }
      }
    }
  }
`);

const Renew = graphql(`
  mutation RenewInvitation($input: RenewInvitationInput!) {
    renewInvitation(input: $input) {
      invitation {
        secret
      }
      userErrors {
        message
      }
    }
  }
`);

export function Invitations({ shortId, name: of }: { shortId: string; name: string }) {
  const { data } = useQuery(InvitationsQuery, { variables: { shortId }, context: { shareable: shortId } });
  const { busy, change } = useChange(shortId);
  const [links, setLinks] = useState<Record<string, string>>({});
  const people = data?.shareable?.__typename === 'Poll' ? (data.shareable.invitations ?? []) : [];
  return (
    <section aria-labelledby="people-title">
      <h3 id="people-title">Who votes</h3>
      <ul className="votes">
        {people.map(({ id, name, hasVoted }) => {
          const secret = links[id];
          return (
            <li key={id}>
              <span className="grow">
                <b dir="auto">{name}</b> <span className="quiet">{hasVoted ? 'has voted' : 'has not voted'}</span>
                {secret && <Copy label={`New link of ${name}`} text={linkOf(shortId, { kind: 'invitation', text: secret }, of)} />}
              </span>
              {!secret && (
                <button
                  type="button"
                  className="button"
                  disabled={busy}
                  aria-label={`New link for ${name}`}
                  onClick={() =>
                    void change(Renew, { input: { id } }, `${name} has a new link; the earlier one opens nothing`).then((made) => {
                      const fresh = made?.renewInvitation?.invitation?.secret;
                      if (fresh) setLinks((before) => ({ ...before, [id]: fresh }));
                    })
                  }
                >
                  New link
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
