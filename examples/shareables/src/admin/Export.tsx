// A file with everything: the items of a checklist, or the votes of a poll.

import { CombinedGraphQLErrors } from '@apollo/client';
import { useState } from 'react';
import { csv, download } from 'trestle-web-kit/ui/csv';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { client } from '../api/client';
import { type Checklist, type Poll, sorted } from '../api/data';
import { said } from '../api/opening';
import { graphql } from '../gql';

const ResultQuery = graphql(`
  query Result($shortId: String!) {
    shareable(shortId: $shortId) {
      id
      ... on Poll {
        resultCsv
      }
    }
  }
`);

/** The result, which the API writes. */
async function resultOf(shortId: string): Promise<string> {
  const { data } = await client.query({
    query: ResultQuery,
    variables: { shortId },
    context: { shareable: shortId },
    fetchPolicy: 'no-cache',
  });
  const poll = data?.shareable;
  if (poll?.__typename !== 'Poll' || !poll.resultCsv) throw new Error('The result is not shown yet.');
  return poll.resultCsv;
}

function checklistRows({ items }: Checklist): (string | null)[][] {
  const header = ['Item', 'How much', 'Who', 'Note', 'Ticked at', 'Ticked by'];
  const rows = sorted(items).map((item) => [item.name, item.quantity, item.person, item.note, item.tickedAt, item.tickedBy]);
  return [header, ...rows].map((row) => row.map((cell) => cell ?? null));
}

export function Export({ shareable }: { shareable: Checklist | Poll }) {
  const notices = useNotices();
  const [busy, setBusy] = useState(false);
  const isHidden = shareable.__typename === 'Poll' && shareable.hidesResults && !shareable.isClosed;

  async function save() {
    setBusy(true);
    try {
      const text = shareable.__typename === 'Poll' ? await resultOf(shareable.shortId) : csv(checklistRows(shareable));
      download(`${shareable.shortId}.csv`, 'text/csv;charset=utf-8', text);
    } catch (error) {
      const why = CombinedGraphQLErrors.is(error) ? said(error.errors[0]?.message ?? '') : 'The server does not answer.';
      notices.warn(`The file could not be made: ${why}`);
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
