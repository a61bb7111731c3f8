// A file with everything: the items of a checklist, or the votes of a poll.

import { useState } from 'react';
import { csv, download } from 'trestle-web-kit/ui/csv';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { client } from '../api/client';
import { type Checklist, type Poll, sorted, type Vote } from '../api/data';
import { graphql } from '../gql';
import { optionText } from '../poll/Poll';

const VotesQuery = graphql(`
  query Votes($shortId: String!, $after: String) {
    shareable(shortId: $shortId) {
      id
      ... on Poll {
        votes(first: 100, after: $after) {
          edges {
            node {
              ...Vote
            }
          }
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    }
  }
`);

async function votesAfter(shortId: string, after: string | null) {
  const { data } = await client.query({
    query: VotesQuery,
    variables: { shortId, after },
    context: { shareable: shortId },
    fetchPolicy: 'no-cache',
  });
  return data?.shareable?.__typename === 'Poll' ? data.shareable.votes : null;
}

async function allVotes(shortId: string): Promise<Vote[]> {
  const votes: Vote[] = [];
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof votesAfter>> = await votesAfter(shortId, after);
    votes.push(...(page?.edges ?? []).flatMap(({ node }) => (node ? [node] : [])));
    if (!page?.pageInfo.hasNextPage || !page.pageInfo.endCursor) return votes;
    after = page.pageInfo.endCursor;
  }
}

function checklistRows({ items }: Checklist): (string | null)[][] {
  const header = ['Item', 'How much', 'Who', 'Note', 'Ticked at', 'Ticked by'];
  const rows = sorted(items).map((item) => [item.name, item.quantity, item.person, item.note, item.tickedAt, item.tickedBy]);
  return [header, ...rows].map((row) => row.map((cell) => cell ?? null));
}

async function pollRows(poll: Poll): Promise<(string | null)[][]> {
  const options = sorted(poll.options);
  const votes = await allVotes(poll.shortId);
  const answer = ({ optionIds, maybeOptionIds }: Vote, id: string) =>
    optionIds.includes(id) ? 'yes' : maybeOptionIds.includes(id) ? 'if need be' : 'no';
  const total = (count: number | null | undefined) => String(count ?? 0);
  return [
    ['Voter', ...options.map(optionText), 'Comment', 'Voted at'],
    ...votes.map((vote) => [
      vote.voterName ?? null,
      ...options.map(({ id }) => answer(vote, id)),
      vote.comment ?? null,
      vote.votedAt,
    ]),
    ['Votes', ...options.map(({ voteCount }) => total(voteCount)), null, null],
  ];
}

export function Export({ shareable }: { shareable: Checklist | Poll }) {
  const notices = useNotices();
  const [busy, setBusy] = useState(false);
  const isHidden = shareable.__typename === 'Poll' && shareable.hidesResults && !shareable.isClosed;

  async function save() {
    setBusy(true);
    try {
      const rows = shareable.__typename === 'Poll' ? await pollRows(shareable) : checklistRows(shareable);
      download(`${shareable.shortId}.csv`, 'text/csv;charset=utf-8', csv(rows));
    } catch {
      notices.warn('The file could not be made: the server does not answer.');
    }
    setBusy(false);
  }

  return (
    <section aria-labelledby="export-title">
      <h3 id="export-title">Export</h3>
      {isHidden && <p className="quiet">The votes are hidden until the poll closes.</p>}
      <button type="button" className="button" disabled={busy || isHidden} onClick={() => void save()}>
        Save as CSV
      </button>
    </section>
  );
}
