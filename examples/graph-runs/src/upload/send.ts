// Creates a run, uploads its file and starts it.

import { put } from 'trestle-web-kit/api/upload';

import { graphql } from '../gql';
import type { Environment } from '../gql/graphql';
import { client } from '../api/client';
import { addressOf } from '../api/files';
import { said } from '../ui/words';
import type { Ready } from './files';

const Create = graphql(`
  mutation CreateRun($input: CreateRunInput!) {
    createRun(input: $input) {
      run {
        ...RunRow
      }
      upload {
        url
        headers {
          name
          value
        }
      }
      userErrors {
        message
      }
    }
  }
`);

const Start = graphql(`
  mutation StartRun($input: StartRunInput!) {
    startRun(input: $input) {
      run {
        ...RunRow
      }
      userErrors {
        message
      }
    }
  }
`);

/** Answers the `runId` of the started run. `progress` gets the part of the file that is uploaded. */
export async function upload(
  { format, bytes }: Ready,
  environment: Environment,
  progress: (part: number) => void,
): Promise<string> {
  progress(0);
  const input = { environment, iacFormat: format, iacBytes: bytes.size };
  // A run that was created twice would be there twice: it is not sent again by itself.
  const created = await client.mutate({ mutation: Create, variables: { input }, context: { once: true } });
  const payload = created.data?.createRun;
  const { run, upload: place } = payload ?? {};
  if (!run || !place) throw new Error(words(payload?.userErrors));
  await put({ ...place, url: addressOf(place.url) }, bytes, 'The file could not be uploaded', progress);
  const started = await client.mutate({ mutation: Start, variables: { input: { runId: run.runId } }, context: { kept: true }, refetchQueries: ['Runs'] });
  const problems = started.data?.startRun?.userErrors ?? [];
  if (problems.length > 0) throw new Error(words(problems));
  return run.runId;
}

function words(userErrors: readonly { readonly message: string }[] | undefined): string {
  return (userErrors ?? []).map(({ message }) => said(message)).join(' ') || 'The server refuses it.';
}
