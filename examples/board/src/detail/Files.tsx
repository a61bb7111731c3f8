// The files of an application, such as a resume: listed, sent, downloaded and removed.

import { useApolloClient } from '@apollo/client/react';
import { useId, useState } from 'react';
import { stayUntil } from 'trestle-web-kit/api/leaving';
import { useReadOnly } from 'trestle-web-kit/api/readOnly';
import { dateOf, day } from 'trestle-web-kit/ui/dates';
import { besides } from 'trestle-web-kit/ui/focus';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { deletion, useHidden } from '../api/pending';
import { ApplicationFileKind } from '../gql/graphql';
import { useAway } from '../ui/away';
import { Icon } from '../ui/icons';
import { enumValue } from '../ui/words';
import { AddFile, type File as Stored, RemoveFile, useBeside } from './beside';
import { addressOf, kindOf, problemOf, sizeOf, TYPES, upload } from './upload';

/** As many as the API takes for one application. */
const MOST = 10;

const KIND_WORDS: Record<ApplicationFileKind, string> = {
  RESUME: 'Resume',
  COVER_LETTER: 'Cover letter',
  OFFER: 'Offer',
  OTHER: 'Other',
};

export function Files({ application, files }: { application: string; files: readonly Stored[] }) {
  const hidden = useHidden();
  return (
    <section className="beside" aria-labelledby="files-title">
      <h2 id="files-title">Files</h2>
      <ul>
        {files.filter(({ fileId }) => !hidden.has(fileId)).map((file) => (
          <FileItem key={file.fileId} application={application} file={file} />
        ))}
      </ul>
      {files.length < MOST ? (
        <Send application={application} />
      ) : (
        <p className="quiet">An application holds {MOST} files at most.</p>
      )}
    </section>
  );
}

function FileItem({ application, file }: { application: string; file: Stored }) {
  const send = useBeside();
  const { fileId, name, url } = file;

  function remove() {
    void send({
      application,
      mutation: RemoveFile,
      input: { applicationId: application, fileId },
      wish: `remove ${name}`,
      deletes: deletion(`${name} removed`, fileId),
    });
  }

  return (
    <li className="beside-file">
      <Icon name="file" />
      {url ? (
        // Where a browser opens such a file, it does so beside the page.
        <a className="beside-name" href={addressOf(url)} download={name} target="_blank" rel="noreferrer">
          {name}
        </a>
      ) : (
        <span className="beside-name">{name}</span>
      )}
      <span className="quiet">
        {KIND_WORDS[file.kind]}, {sizeOf(file.bytes)}, {day(dateOf(new Date(file.addedAt)))}
        {!url && '. The file itself was not imported'}
      </span>
      <button
        type="button"
        className="bare writes"
        aria-label={`Remove ${name}`}
        onClick={({ currentTarget }) => {
          const item = currentTarget.closest('li');
          (besides(item, '[aria-label^="Remove "]') ?? item?.closest('section')?.querySelector('select'))?.focus();
          remove();
        }}
      >
        <Icon name="trash" />
      </button>
    </li>
  );
}

type Sending = { readonly name: string; readonly part: number } | null;

function Send({ application }: { application: string }) {
  const client = useApolloClient();
  const notices = useNotices();
  const send = useBeside();
  const readOnly = useReadOnly();
  const away = useAway() !== null;
  const [sending, setSending] = useState<Sending>(null);
  const [kind, setKind] = useState<ApplicationFileKind | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const problemId = useId();

  async function take(file: File | undefined) {
    if (!file || sending) return;
    const wrong = problemOf(file);
    setProblem(wrong);
    if (wrong) return;
    const report = (part: number) => setSending({ name: file.name, part });
    report(0);
    try {
      const uploadId = await stayUntil(upload(client, application, file, report));
      await send({
        application,
        mutation: AddFile,
        input: { applicationId: application, uploadId, name: file.name.slice(0, 200), kind: kind ?? kindOf(file.name) },
        wish: `add ${file.name}`,
      });
      setKind(null);
    } catch (error) {
      notices.warn(error instanceof Error ? error.message : String(error), { label: 'Try again', run: () => void take(file) });
    }
    setSending(null);
  }

  if (readOnly) return null;
  return (
    <div
      className="add-file"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer.files[0]);
      }}
    >
      <select
        aria-label="What the next file is"
        value={kind ?? ''}
        onChange={({ target }) => setKind(enumValue(ApplicationFileKind, target.value))}
      >
        <option value="">by its name</option>
        {Object.entries(KIND_WORDS).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <label className={away || sending ? 'button off' : 'button'}>
        <Icon name="upload" /> Add a file
        <input
          type="file"
          className="visually-hidden"
          aria-label="Add a file"
          aria-describedby={problem ? problemId : undefined}
          accept={Object.keys(TYPES).map((extension) => `.${extension}`).join(',')}
          disabled={away || sending !== null}
          onChange={({ currentTarget }) => {
            void take(currentTarget.files?.[0]);
            currentTarget.value = '';
          }}
        />
      </label>
      {away && <span className="quiet">Files can be added as soon as the server can be reached.</span>}
      {sending && (
        <span role="status">
          Sending {sending.name} <progress aria-label={`Sending ${sending.name}`} max={1} value={sending.part} />
        </span>
      )}
      {problem && (
        <em id={problemId} role="alert">
          {problem}
        </em>
      )}
    </div>
  );
}
