// Choosing all applications that fit the filter: the table has only the first of them.

import { useApolloClient } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
import { number } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { graphql } from '../gql';
import type { AllIdsQuery, ApplicationFilter } from '../gql/graphql';

const AllIds = graphql(`
  query AllIds($filter: ApplicationFilter!, $after: String) {
    applications(filter: $filter, first: 100, after: $after) {
      edges {
        node {
          id
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export function All({
  loaded,
  total,
  filter,
  onAll,
}: {
  loaded: number;
  /** How many fit the filter, if that is known. */
  total: number | null;
  filter: ApplicationFilter;
  onAll: (ids: string[]) => void;
}) {
  const client = useApolloClient();
  const notices = useNotices();
  /** How many were read; empty unless all are being read. */
  const [read, setRead] = useState<number | null>(null);
  const over = useRef(false);
  useEffect(
    () => () => {
      over.current = true;
    },
    [],
  );

  async function choose() {
    const ids = new Set<string>();
    let after: string | null = null;
    try {
      do {
        setRead(ids.size);
        const answer: { data?: AllIdsQuery | undefined } = await client.query({
          query: AllIds,
          variables: { filter, after },
          fetchPolicy: 'no-cache',
        });
        const page = answer.data?.applications;
        if (!page) throw new Error('there is no page');
        for (const { node } of page.edges) if (node) ids.add(node.id);
        after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      } while (after && !over.current);
      if (!over.current) onAll([...ids]);
    } catch {
      notices.warn('Not all of them could be read.');
    }
    if (!over.current) setRead(null);
  }

  return (
    <p className="all-of-them" role="status">
      {read !== null ? (
        `Reading all of them: ${number(read)} so far`
      ) : (
        <>
          These are the {number(loaded)} that are loaded
          {total !== null && `, of ${number(total)}`}.{' '}
          <button type="button" className="link" onClick={() => void choose()}>
            Select all {total !== null && number(total)}
          </button>
        </>
      )}
    </p>
  );
}
