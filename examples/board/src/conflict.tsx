// A change that someone else overtook: shows what happened meanwhile, and leaves the choice.

import { useApolloClient, useQuery } from '@apollo/client/react';
import { AlertDialog } from 'radix-ui';
import { useEffect } from 'react';

import { readPlaced, settle } from './api/lists';
import { graphql } from './gql';
import { useReturnFocus } from './ui/focus';
import type { Conflict } from './ui/notices';
import { ago, STATUS_WORDS } from './ui/words';

const Newest = graphql(`
  query NewestVersion($id: ID!) {
    application(id: $id) {
      id
      version
      status
      companyName
      positionTitle
      ...Placed
      ...Card
      history(first: 5) {
        edges {
          node {
            id
            sequence
            description
            createdAt
            ...TimelineEntry
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

export function ConflictDialog({
  conflict,
  onClose,
}: {
  conflict: Conflict;
  onClose: () => void;
}) {
  const { cache } = useApolloClient();
  const { seen } = conflict;
  const returnFocus = useReturnFocus(`main a[href*="${CSS.escape(seen.id)}"]`);
  const { data, loading } = useQuery(Newest, {
    variables: { id: seen.id },
    fetchPolicy: 'network-only',
  });
  const application = loading ? null : data?.application;
  const version = application?.version;
  useEffect(() => {
    // The newer version has its place on the board, whatever becomes of the change.
    if (version !== undefined) settle(cache, seen, readPlaced(cache, seen.id));
  }, [cache, seen, version]);
  const entries = (application?.history?.edges ?? []).flatMap(({ node }) =>
    node && node.sequence > seen.version ? [node] : [],
  );
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="overlay" />
        <AlertDialog.Content className="dialog small" onCloseAutoFocus={returnFocus}>
          <AlertDialog.Title>Changed somewhere else</AlertDialog.Title>
          <AlertDialog.Description>
            {application
              ? `${application.companyName}, ${application.positionTitle}, was changed while you looked at an older version. It is now in ${STATUS_WORDS[application.status]}.`
              : 'This application was changed while you looked at an older version.'}
          </AlertDialog.Description>
          {entries.length > 0 && (
            <ul className="meanwhile" aria-label="What happened meanwhile">
              {entries.map((entry) => (
                <li key={entry.id}>
                  <span>{entry.description}</span>
                  <time dateTime={entry.createdAt}>{ago(entry.createdAt)}</time>
                </li>
              ))}
            </ul>
          )}
          <p className="quiet">You wanted to {conflict.wish}.</p>
          <div className="buttons">
            <AlertDialog.Cancel className="button">Keep the newer version</AlertDialog.Cancel>
            <AlertDialog.Action
              className="button primary"
              disabled={!application}
              onClick={() => conflict.again()}
            >
              Do it all the same
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
