// Whether an application that is being added is there already: by its posting, or by its company and position. That is no mistake,
// but worth knowing.

import { useApolloClient } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { isReachable } from 'trestle-web-kit/api/network';

import { folded } from '../api/lists';
import { graphql } from '../gql';
import type { ApplicationFilter, SameQuery } from '../gql/graphql';
import { href } from '../route';
import { STATUS_WORDS } from '../ui/words';

const SameDocument = graphql(`
  query Same($filter: ApplicationFilter!, $first: Int!) {
    applications(filter: $filter, first: $first) {
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

type Same = NonNullable<NonNullable<SameQuery['applications']>['edges'][number]['node']>;

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

  async function readAll(filter: ApplicationFilter, first: number): Promise<readonly Same[]> {
    const variables = { filter: { ...filter, archived: 'INCLUDE' }, first } as const;
    const { data } = await client.query({ query: SameDocument, variables, fetchPolicy: 'no-cache' });
    return (data?.applications?.edges ?? []).flatMap(({ node }) => node ?? []);
  }

  async function read({ url, company, position }: Asked): Promise<Found | null> {
    if (url) {
      // Stored as it was typed, or as an import completed it.
      const urls = [...new Set([url, URL.parse(url)?.href ?? url])];
      const all = await readAll({ jobPostingUrls: urls }, 3);
      if (all.length > 0) return { by: 'posting', all };
    }
    if (!company || !position) return null;
    const text = `${company} ${position}`.slice(0, 200);
    const same = (one: string, other: string) => folded(one.trim()) === folded(other.trim());
    const all = (await readAll({ text }, 20)).filter(
      (node) => same(node.companyName, company) && same(node.positionTitle, position),
    );
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
