// Whether an application that is being added is there already: by its posting, or by its company and position. That is no mistake,
// but worth knowing.

import { useApolloClient } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { isReachable } from 'trestle-web-kit/api/network';

import { folded } from '../api/lists';
import { graphql } from '../gql';
import type { SamePostingQuery } from '../gql/graphql';
import { href } from '../route';
import { STATUS_WORDS } from '../ui/words';

const SamePosting = graphql(`
  query SamePosting($urls: [String!]!) {
    applications(filter: { jobPostingUrls: $urls, archived: INCLUDE }, first: 3) {
      edges {
        node {
          id
          companyName
          positionTitle
          status
          isArchived
        }
      }
    }
  }
`);

const SameJob = graphql(`
  query SameJob($text: String!) {
    applications(filter: { text: $text, archived: INCLUDE }, first: 20) {
      edges {
        node {
          id
          companyName
          positionTitle
          status
          isArchived
        }
      }
    }
  }
`);

type Same = NonNullable<NonNullable<SamePostingQuery['applications']>['edges'][number]['node']>;

/** What was found, and by what. */
export interface Found {
  readonly by: 'posting' | 'job';
  readonly all: readonly Same[];
}

interface Asked {
  /** With its scheme; empty for none. */
  readonly url: string;
  readonly company: string;
  readonly position: string;
}

/** Looks for what is there already, whenever something else is asked. */
export function useTracked() {
  const client = useApolloClient();
  const [found, setFound] = useState<Found | null>(null);
  const latest = useRef('');

  async function read({ url, company, position }: Asked): Promise<Found | null> {
    if (url) {
      // Stored as it was typed, or as an import completed it.
      const urls = [...new Set([url, URL.parse(url)?.href ?? url])];
      const { data } = await client.query({ query: SamePosting, variables: { urls }, fetchPolicy: 'no-cache' });
      const all = (data?.applications?.edges ?? []).flatMap(({ node }) => node ?? []);
      if (all.length > 0) return { by: 'posting', all };
    }
    if (!company || !position) return null;
    const text = `${company} ${position}`.slice(0, 200);
    const { data } = await client.query({ query: SameJob, variables: { text }, fetchPolicy: 'no-cache' });
    const same = (one: string, other: string) => folded(one.trim()) === folded(other.trim());
    const all = (data?.applications?.edges ?? [])
      .flatMap(({ node }) => node ?? [])
      .filter((node) => same(node.companyName, company) && same(node.positionTitle, position));
    return all.length > 0 ? { by: 'job', all } : null;
  }

  function look(asked: Asked): void {
    const key = JSON.stringify(asked);
    if (key === latest.current) return;
    latest.current = key;
    if (!isReachable()) return;
    // Only a warning, which is not worth one of its own.
    read(asked).then((answer) => latest.current === key && setFound(answer), () => {});
  }

  return { found, look };
}

export function Tracked({ found }: { found: Found | null }) {
  return (
    <div role="status">
      {found && (
        <p className="tracked">
          You track this {found.by} already:{' '}
          {found.all.map(({ id, companyName, positionTitle, status, isArchived }, at) => (
            <span key={id}>
              {at > 0 && ', '}
              <a href={href(`/applications/${id}`)}>
                {companyName}, {positionTitle}
              </a>{' '}
              ({STATUS_WORDS[status]}
              {isArchived && ', archived'})
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
