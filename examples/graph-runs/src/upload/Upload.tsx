// A folder, a zip or a file is dropped or chosen, uploaded and analyzed.

import { useRef, useState } from 'react';
import { stayUntil } from 'trestle-web-kit/api/leaving';

import { Environment } from '../gql/graphql';
import { go, hrefOfRun } from '../route';
import { Icon } from '../ui/icons';
import { ENVIRONMENT_WORDS, reason } from '../ui/words';
import { droppedFiles, type Picked, prepared, pickedFiles, type Ready } from './files';
import { upload } from './send';
import 'trestle-web-kit/styles/dialogs.css';

type State =
  | { readonly now: 'idle' }
  | { readonly now: 'busy'; readonly what: string; readonly part: number }
  /** `ready`: what was not sent, where it was read. */
  | { readonly now: 'failed'; readonly why: string; readonly ready: Ready | null };

export function Upload({ environment: first }: { environment: Environment }) {
  const [environment, setEnvironment] = useState(first);
  const [state, setState] = useState<State>({ now: 'idle' });
  const [over, setOver] = useState(false);
  const folder = useRef<HTMLInputElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const busy = state.now === 'busy';

  async function take(picking: Promise<readonly Picked[]>) {
    setState({ now: 'busy', what: 'Reading the files', part: 0 });
    try {
      await send(await prepared(await picking));
    } catch (error) {
      setState({ now: 'failed', why: reason(error), ready: null });
    }
  }

  async function send(ready: Ready) {
    try {
      const runId = await stayUntil(upload(ready, environment, (part) => setState({ now: 'busy', what: 'Uploading', part })));
      setState({ now: 'idle' });
      go(hrefOfRun(runId));
    } catch (error) {
      setState({ now: 'failed', why: reason(error), ready });
    }
  }

  return (
    <section
      className={over ? 'drop over' : 'drop'}
      aria-label="Upload"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        // The browser empties the list of what was dropped as soon as this returns.
        if (!busy && event.dataTransfer) void take(droppedFiles(event.dataTransfer));
      }}
    >
      <Icon name="upload" />
      <p>
        Drop a folder with Terraform files, a zip, a <code>.tf</code> file or a plan in JSON.
      </p>
      <div className="picking">
        <label className="environment">
          <span>Environment</span>
          <select
            value={environment}
            onChange={({ currentTarget }) =>
              setEnvironment(currentTarget.value === Environment.Prod ? Environment.Prod : Environment.Dev)
            }
          >
            {Object.values(Environment).map((each) => (
              <option key={each} value={each}>
                {ENVIRONMENT_WORDS[each]}
              </option>
            ))}
          </select>
        </label>
        <button type="button" className="button" disabled={busy} onClick={() => folder.current?.click()}>
          Choose a folder
        </button>
        <button type="button" className="button" disabled={busy} onClick={() => file.current?.click()}>
          Choose a file
        </button>
      </div>
      <input
        ref={folder}
        type="file"
        hidden
        aria-label="Folder"
        {...{ webkitdirectory: true }}
        onChange={({ currentTarget }) => void take(pickedFiles(currentTarget.files))}
      />
      <input
        ref={file}
        type="file"
        hidden
        aria-label="File"
        accept=".tf,.json,.zip,.gz,.tgz"
        onChange={({ currentTarget }) => void take(pickedFiles(currentTarget.files))}
      />
      {busy && (
        <div className="sending" role="status">
          <span>{state.what}</span>
          <progress value={state.part} max={1} aria-label={state.what} />
        </div>
      )}
      {state.now === 'failed' && (
        <p role="alert" className="problem">
          {state.why}{' '}
          {state.ready && (
            <button type="button" className="link" onClick={() => state.ready && void send(state.ready)}>
              Try again
            </button>
          )}
        </p>
      )}
    </section>
  );
}
