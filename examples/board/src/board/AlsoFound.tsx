// What a search finds in the fields that the columns do not search: requirements, links, the posting and stages.

import type { ApolloCache } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { isReachable } from 'trestle-web-kit/api/network';
import { number } from 'trestle-web-kit/ui/dates';

import { fits, hasWords, readPlaced, searchedText } from '../api/lists';
import { useHidden } from '../api/pending';
import { graphql } from '../gql';
import type { AlsoFoundQuery, ApplicationFilter } from '../gql/graphql';
import { href } from '../route';
import { fieldWords, STATUS_WORDS } from '../ui/words';
import '../styles/found.css';

/** The most that are listed at once, and the most applications that are searched before the person is asked. */
const SHOWN = 30;
const SEARCHED = 2500;

const AlsoFoundDocument = graphql(`
  query AlsoFound($text: String!, $archived: ArchivedFilter!, $after: String) {
    searchApplications(text: $text, archived: $archived, first: 100, after: $after) {
      edges {
        matchedIn
        node {
          id
          companyName
          positionTitle
          status
          notes
          nextAction
          tags
          location
          ...Placed
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      searched
    }
  }
`);

type Edge = NonNullable<AlsoFoundQuery['searchApplications']>['edges'][number];

interface Found {
  readonly edges: readonly Edge[];
  /** Where to go on; empty at the end. */
  readonly after: string | null;
  readonly searched: number;
}

/** The fields that the columns search as well. */
const SEARCHED_ANYWAY = ['companyName', 'positionTitle', 'notes', 'nextAction', 'tags', 'location'];

export function AlsoFound({
  filter,
  onFound,
}: {
  filter: ApplicationFilter;
  /** Hears how many it lists. */
  onFound?: (count: number) => void;
}) {
  const client = useApolloClient();
  const text = filter.text ?? '';
  const archived = filter.archived ?? 'EXCLUDE';
  const [found, setFound] = useState<Found | null>(null);
  const hidden = useHidden();
  const [busy, setBusy] = useState(false);
  /** Searches on from here. */
  const [from, setFrom] = useState<Found | null>(null);
  const of = JSON.stringify(filter);

  useEffect(() => {
    setFound(null);
    setFrom(null);
  }, [of]);
  useEffect(() => {
    let current = true;
    async function search() {
      let all: Found = from ?? { edges: [], after: null, searched: 0 };
      const enough = all.searched + SEARCHED;
      setBusy(true);
      do {
        const { data } = await client.query({
          query: AlsoFoundDocument,
          variables: { text, archived, after: all.after },
          fetchPolicy: 'network-only',
        });
        const page = data?.searchApplications;
        if (!current || !page) break;
        const more = page.edges.filter((edge) => isFurther(client.cache, edge, filter));
        const { hasNextPage, endCursor } = page.pageInfo;
        all = {
          edges: [...all.edges, ...more],
          after: hasNextPage ? endCursor : null,
          searched: all.searched + page.searched,
        };
        setFound(all);
      } while (all.after && all.searched < enough && all.edges.length < SHOWN);
    }
    // A network that is gone is said elsewhere, and the columns show what they have.
    if (text && isReachable()) void search().catch(() => {}).finally(() => current && setBusy(false));
    return () => {
      current = false;
    };
    // The filter is in `of`.
  }, [client, of, from]);

  const count = found?.edges.length ?? 0;
  useEffect(() => onFound?.(count), [onFound, count]);
  if (!found || (count === 0 && !found.after)) return null;
  return (
    <section className="also-found" aria-labelledby="also-title">
      <h2 id="also-title">
        Found in other fields <span className="quiet">{number(found.edges.length)}{found.after && '+'}</span>
      </h2>
      <ul>
        {found.edges.map(({ node, matchedIn }) =>
          node && !hidden.has(node.id) ? (
            <li key={node.id}>
              <a href={href(`/applications/${node.id}`)}>
                <i className="dot" data-status={node.status} />
                <span className="visually-hidden">{STATUS_WORDS[node.status]}</span>
                <b dir="auto">{node.companyName}</b> <span dir="auto">{node.positionTitle}</span>{' '}
                <span className="quiet">in {placesOf(matchedIn)}</span>
              </a>
            </li>
          ) : null,
        )}
      </ul>
      {found.after && (
        <button type="button" className="link" disabled={busy} onClick={() => setFrom(found)}>
          {busy ? 'Searching' : `Search on, after ${number(found.searched)} applications`}
        </button>
      )}
    </section>
  );
}

/** Whether the columns do not list it, and the other filters would. */
function isFurther(cache: ApolloCache, { node }: Edge, filter: ApplicationFilter): boolean {
  if (!node) return false;
  if (hasWords(filter.text, searchedText(node, node.notes))) return false;
  const placed = readPlaced(cache, node.id);
  return placed === null || fits({ ...filter, text: null }, placed, true);
}

/** `Tags, Text of the posting, stages`. */
function placesOf(fields: readonly string[]): string {
  const words = fields
    .filter((field) => !SEARCHED_ANYWAY.includes(field))
    .map((field) => (field.startsWith('interviewStages') ? 'stages' : fieldWords(field).toLowerCase()));
  return [...new Set(words)].join(', ') || 'several fields';
}
