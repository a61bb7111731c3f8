// A checklist or a poll: opened by what the link or this browser has, then shown and followed.

import { CombinedGraphQLErrors } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { useEffect, useLayoutEffect, useState } from 'react';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { ShareableDoc } from './api/data';
import { forget, keepOwnName, note, ownName, useKnown } from './api/known';
import { useKept } from './api/kept';
import { follow } from './api/live';
import { isAdmin, openByInvitation, openByPasscode, said } from './api/opening';
import { useIsClosed } from './api/session';
import { forgetShown, keepShown } from './api/shown';
import { ChecklistPage } from './checklist/Checklist';
import type { ShareableQuery } from './gql/graphql';
import { PollPage } from './poll/Poll';
import { go, hideSecret, type Secret } from './route';
import { OpenForm } from './start/OpenForm';

export function Shareable({ shortId, secret, name }: { shortId: string; secret: Secret | null; name: string | null }) {
  const known = useKnown(shortId);
  const isClosed = useIsClosed(shortId);
  const [problem, setProblem] = useState<string | null>(null);
  // Whoever makes or votes for the first time is asked for a name, which goes with the token.
  const [named, setNamed] = useState(ownName() !== '' || secret?.kind === 'invitation');

  useEffect(() => {
    if (!secret || !named) return;
    const { kind, text } = secret;
    // Whoever made it follows the link that friends get, and remains its admin.
    if (isAdmin(shortId) && !isClosed) {
      hideSecret(shortId);
      return;
    }
    const opening = kind === 'invitation' ? openByInvitation(shortId, text) : openByPasscode(shortId, text, null);
    opening.then(
      (opened) => {
        if ('problem' in opened) setProblem(opened.problem);
        hideSecret(shortId);
      },
      (error: unknown) => setProblem(error instanceof Error ? said(error.message) : 'The server does not answer.'),
    );
  }, [shortId, secret?.kind, secret?.text, named]);

  useEffect(() => {
    if (isClosed) forgetShown(shortId);
  }, [isClosed, shortId]);

  if (secret && !named) return <AskName of={known?.name ?? name} onDone={() => setNamed(true)} />;
  if (secret && !problem) return BUSY;
  if (!known || isClosed) {
    return (
      <main className="page" id="content" tabIndex={-1}>
        <h1>{known ? `Open ${known.name} again` : `Open ${shortId}`}</h1>
        {problem && <p role="alert" className="problem">{problem}</p>}
        {known && <p>The passcode has changed, or this browser was signed out.</p>}
        <section className="panel">
          <OpenForm shortId={shortId} />
        </section>
      </main>
    );
  }
  return <Content shortId={shortId} />;
}

const BUSY = <main aria-busy id="content" tabIndex={-1} />;

/** Asks for a name before a link is opened. */
function AskName({ of, onDone }: { of: string | null; onDone: () => void }) {
  return (
    <main className="page" id="content" tabIndex={-1}>
      <h1>{of ? <>Somebody shares “<bdi>{of}</bdi>” with you</> : 'Somebody shares this with you'}</h1>
      <section className="panel">
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            keepOwnName(String(new FormData(event.currentTarget).get('name') ?? '').trim());
            onDone();
          }}
        >
          <label>
            <span>Your name, shown with your ticks and votes (optional)</span>
            <input name="name" maxLength={80} autoComplete="nickname" />
          </label>
          <div className="buttons">
            <button className="button primary">Open</button>
          </div>
        </form>
      </section>
    </main>
  );
}

function Content({ shortId }: { shortId: string }) {
  return useKept(shortId) ? <Current shortId={shortId} /> : BUSY;
}

function Current({ shortId }: { shortId: string }) {
  const notices = useNotices();
  // What was kept is shown until the server answers.
  const { data, error } = useQuery(ShareableDoc, {
    variables: { shortId },
    context: { shareable: shortId },
    // Also later: by `cache-first`, a change would not show as long as an answer is awaited.
    fetchPolicy: 'cache-and-network',
  });
  const shareable = data?.shareable;
  // At once: whoever sees a change may close the page.
  useLayoutEffect(() => {
    if (data?.shareable) keepShown(shortId, data as ShareableQuery);
    else if (data) forgetShown(shortId);
  }, [shortId, data]);

  useEffect(
    () =>
      follow(shortId, () => {
        notices.warn('This was deleted.');
        forget(shortId);
        go('#/');
      }),
    [shortId, notices],
  );
  const name = shareable?.name;
  useEffect(() => {
    if (!name) return undefined;
    note(shortId, { name });
    document.title = `${name} – Lists and polls`;
    return () => {
      document.title = 'Lists and polls';
    };
  }, [shortId, name]);

  if (shareable?.__typename === 'Checklist') return <ChecklistPage list={shareable} />;
  if (shareable?.__typename === 'Poll') return <PollPage poll={shareable} />;
  if (!error && !data) return BUSY;
  return (
    <main className="failed" id="content" tabIndex={-1}>
      <p role="alert">
        {CombinedGraphQLErrors.is(error) ? said(error.errors[0]?.message ?? '') : 'This could not be read.'}
      </p>
    </main>
  );
}
