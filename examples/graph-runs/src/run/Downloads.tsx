// The files of a run, and deleting it.

import { useState } from 'react';
import { download } from 'trestle-web-kit/ui/csv';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { client } from '../api/client';
import { graphql } from '../gql';
import { go } from '../route';
import { Icon } from '../ui/icons';
import { reason, said } from '../ui/words';
import { allFindings, pictureOf, reportOf } from './read';
import { sarif } from './sarif';

const DeleteDoc = graphql(`
  mutation DeleteRun($input: DeleteRunInput!) {
    deleteRun(input: $input) {
      run {
        runId
      }
      userErrors {
        message
      }
    }
  }
`);

export function Downloads({ runId, isComplete }: { runId: string; isComplete: boolean }) {
  const notices = useNotices();
  const [busy, setBusy] = useState(false);

  async function work(run: () => Promise<void>) {
    setBusy(true);
    try {
      await run();
    } catch (error) {
      notices.warn(reason(error));
    }
    setBusy(false);
  }

  const save = (name: string, type: string, text: () => Promise<string>) =>
    void work(async () => download(`${runId}-${name}`, type, await text()));

  async function remove() {
    if (!window.confirm('Delete this run with its files?')) return;
    const { data } = await client.mutate({ mutation: DeleteDoc, variables: { input: { runId } } });
    const [problem] = data?.deleteRun?.userErrors ?? [];
    if (problem) throw new Error(said(problem.message));
    client.cache.evict({ id: client.cache.identify({ __typename: 'Run', runId }) });
    notices.say('The run is deleted');
    go('#/');
  }

  return (
    <div className="downloads">
      {isComplete && (
        <>
          <button type="button" className="button" disabled={busy} onClick={() => save('graph.svg', 'image/svg+xml', () => pictureOf(runId))}>
            <Icon name="download" /> SVG
          </button>
          <button
            type="button"
            className="button"
            disabled={busy}
            onClick={() => save('findings.sarif', 'application/sarif+json', async () => sarif((await allFindings(runId)) ?? []))}
          >
            <Icon name="download" /> SARIF
          </button>
          <button type="button" className="button" disabled={busy} onClick={() => save('report.json', 'application/json', () => reportOf(runId))}>
            <Icon name="download" /> Report
          </button>
        </>
      )}
      <button type="button" className="bare writes" aria-label="Delete the run" disabled={busy} onClick={() => void work(remove)}>
        <Icon name="trash" />
      </button>
    </div>
  );
}
