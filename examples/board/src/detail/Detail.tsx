// An application's own page, a sheet over the board: its fields, its stages, its history.

import { useApolloClient, useQuery } from '@apollo/client/react';
import { Dialog } from 'radix-ui';
import { useCallback } from 'react';
import { DraftScope } from 'trestle-web-kit/ui/drafts';
import { useConnection } from 'trestle-web-kit/api/network';
import { useReturnFocus } from 'trestle-web-kit/ui/focus';
import { NoticeOutlet } from 'trestle-web-kit/ui/notices';

import { useChanges } from '../board/changes';
import { readPlaced } from '../api/lists';
import { useHidden } from '../api/pending';
import { useReason } from '../api/reason';
import { graphql } from '../gql';
import { useTitle } from '../route';
import { NotLoaded } from '../ui/NotLoaded';
import { Icon } from '../ui/icons';
import { Besides } from './Besides';
import { usePageChanges } from './changes';
import { Facts } from './Facts';
import { SeenContext } from './InPlace';
import { Stages } from './Stages';
import { Timeline } from './Timeline';
import 'trestle-web-kit/styles/dialogs.css';
import '../styles/detail.css';

/** Everything that the page shows; an answer to a change brings it anew. */
export const OnPage = graphql(`
  fragment OnPage on Application {
    ...Placed
    ...Card
    ...Facts
    ...Stages
    ...Timeline
  }
`);

const DetailQuery = graphql(`
  query Detail($id: ID!) {
    application(id: $id) {
      id
      isArchived
      companyName
      positionTitle
      ...Placed
      ...Card
      ...Facts
      ...Stages
      ...Timeline
    }
  }
`);

const OlderHistory = graphql(`
  query OlderHistory($id: ID!, $after: String) {
    application(id: $id) {
      id
      history(first: 20, after: $after) {
        edges {
          node {
            id
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

export function Detail({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, loading, error, fetchMore, refetch } = useQuery(DetailQuery, {
    variables: { id },
    fetchPolicy: 'cache-and-network',
    // Older pages of the history stay open.
    refetchWritePolicy: 'merge',
  });
  const reason = useReason(error);
  const connection = useConnection();
  const away = connection === 'offline' || connection === 'gone';
  const returnFocus = useReturnFocus(`main a[href*="${CSS.escape(id)}"]`);
  const changes = usePageChanges(id);
  const { archive, unarchive } = useChanges();
  const { cache } = useApolloClient();
  const readSeen = useCallback(() => readPlaced(cache, id), [cache, id]);
  const application = useHidden().has(id) ? null : data?.application;
  useTitle(application && `${application.companyName}, ${application.positionTitle}`);

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className="sheet"
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          onEscapeKeyDown={(event) => {
            // Escape first ends what it was pressed in: a field, or a stage that is lifted.
            const inner = '.editor, [aria-pressed="true"]';
            if (event.target instanceof Element && event.target.closest(inner)) event.preventDefault();
          }}
        >
          <div className="sheet-bar">
            <Dialog.Close className="bare" aria-label="Back to the board">
              <Icon name="back" />
            </Dialog.Close>
            <span className="grow" />
            {application && (
              <span className="buttons writes">
                <button
                  type="button"
                  className="button"
                  onClick={() =>
                    void (application.isArchived ? unarchive(id) : archive(id)).then(() => refetch())
                  }
                >
                  <Icon name={application.isArchived ? 'restore' : 'archive'} />
                  {application.isArchived ? 'Take out of the archive' : 'Archive'}
                </button>
                <button
                  type="button"
                  className="bare"
                  aria-label="Delete"
                  onClick={() => {
                    void changes.remove(`${application.companyName}, ${application.positionTitle}`);
                    onClose();
                  }}
                >
                  <Icon name="trash" />
                </button>
              </span>
            )}
          </div>
          {application ? (
            <DraftScope value={id}>
            <SeenContext value={readSeen}>
            <div className="detail">
              <div className="detail-main">
                <Dialog.Title className="visually-hidden">
                  {application.companyName}, {application.positionTitle}
                </Dialog.Title>
                <Facts application={application} changes={changes}>
                  <Stages application={application} changes={changes} />
                  <Besides id={id} />
                </Facts>
              </div>
              <Timeline
                application={application}
                changes={changes}
                onOlder={(after) => void fetchMore({ query: OlderHistory, variables: { id, after } })}
              />
            </div>
            </SeenContext>
            </DraftScope>
          ) : (
            <div className="detail-empty">
              <Dialog.Title>{loading ? (away ? 'Not loaded' : 'Loading') : 'Not here'}</Dialog.Title>
              {loading && away && (
                <p role="status">
                  This application has not been loaded. It opens when{' '}
                  {connection === 'offline' ? 'you are online again' : 'the server answers again'}.
                </p>
              )}
              {!loading && !error && <p>There is no application with this address. It may have been deleted.</p>}
              {reason !== null && <NotLoaded what="This application" reason={reason} again={refetch} />}
            </div>
          )}
          <NoticeOutlet />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
