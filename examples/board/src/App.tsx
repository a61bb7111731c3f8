// The frame: where one is, what is open over it, and how it looks.

import { ApolloProvider } from '@apollo/client/react';
import { useCallback, useEffect, useState } from 'react';
import { SIGNED_IN, useCredentialAsked, useSignedIn } from 'trestle-web-kit/api/credentials';
import { inherit } from 'trestle-web-kit/api/queue';
import { useReadOnly } from 'trestle-web-kit/api/readOnly';
import { STORES, storePage } from 'trestle-web-kit/api/worker';
import { Boundary } from 'trestle-web-kit/ui/Boundary';
import { ConnectionSign, Lost, ThemeButton } from 'trestle-web-kit/ui/Connection';
import { SessionEnd } from 'trestle-web-kit/ui/SessionEnd';
import { SignOut } from 'trestle-web-kit/ui/SignOut';
import { number } from 'trestle-web-kit/ui/dates';
import { NoticeProvider } from 'trestle-web-kit/ui/notices';
import { dialogFailed, Load, part, preload } from 'trestle-web-kit/ui/part';

import type { KeptChange } from './api/kept';
import { ENDPOINT, makeClient } from './api/client';
import { followSoon } from './api/follow';
import { Board } from './board/Board';
import { DRAGGING } from './board/lifting';
import { progress } from './importing/progress';
import { close, href, type Route, useRoute } from './route';
import { CARD_MENU } from './board/Card';
import { ALSO_FOUND, FILTER_MENU, VIEW_MENU } from './board/Filters';
import { CONFLICT } from './asked';
import type { Left } from './Resend';
import { Icon } from './ui/icons';
import { PALETTE, Shortcuts } from './Shortcuts';
import { Viewer } from './Viewer';

// Only the board comes with the first page; whatever else is loaded after it.
const ADD = part(() => import('./board/AddDialog').then((module) => module.AddDialog));
const DETAIL = part(() => import('./detail/Detail').then((module) => module.Detail));
const AGENDA = part(() => import('./agenda/AgendaPage').then((module) => module.AgendaPage));
const IMPORT = part(() => import('./importing/ImportDialog').then((module) => module.ImportDialog));
const INSIGHT = part(() => import('./insight/Insight').then((module) => module.Insight));
const TABLE = part(() => import('./table/Table').then((module) => module.Table));
const SIGN_IN = part(() => import('trestle-web-kit/ui/SignIn').then((module) => module.SignIn));
const RESEND = part(() => import('./Resend').then((module) => module.Resend));

const client = makeClient();

export function App() {
  useEffect(() => followSoon(client, ENDPOINT), []);
  useEffect(() => preload([DRAGGING, CARD_MENU, DETAIL, ADD, TABLE, FILTER_MENU, VIEW_MENU, ALSO_FOUND, CONFLICT, INSIGHT, AGENDA, IMPORT, RESEND, SIGN_IN, PALETTE]), []);
  // Opened without a network, the page is there, with what was not sent.
  useEffect(() => (STORES ? storePage() : undefined), []);
  useEffect(() => {
    const again = () => void client.refetchQueries({ include: 'active' }).catch(() => {});
    window.addEventListener(SIGNED_IN, again);
    return () => window.removeEventListener(SIGNED_IN, again);
  }, []);
  return (
    <ApolloProvider client={client}>
      <NoticeProvider>
        <Page />
        <Shortcuts />
        <Unsent />
      </NoticeProvider>
    </ApolloProvider>
  );
}

function Page() {
  const route = useRoute();
  const asked = useCredentialAsked();
  // Nobody fills in what they may not send, or before it is known who they are.
  const writes = !useReadOnly() && asked !== 'first';
  return (
    <>
      <a
        className="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          skipToContent();
        }}
      >
        Skip to the applications
      </a>
      <Header page={route.page} />
      <Lost />
      <SessionEnd />
      <Boundary key={route.page}>
        {asked === 'first' ? <SignedOut /> : <Content route={route} />}
      </Boundary>
      <Boundary key={route.application ?? route.dialog}>
        {route.application && asked !== 'first' && (
          <Load
            key={route.application}
            part={DETAIL}
            props={{ id: route.application, onClose: close }}
            failed={dialogFailed}
          />
        )}
        {route.dialog === 'import' && writes && (
          <Load key="import" part={IMPORT} props={{ onClose: close }} failed={dialogFailed} />
        )}
        {route.dialog === 'add' && writes && (
          <Load
            key="add"
            part={ADD}
            props={{ status: window.location.hash.split(/[/?]/u)[2] ?? '', onClose: close }}
            failed={dialogFailed}
          />
        )}
        {asked !== 'no' && <Load key="sign-in" part={SIGN_IN} props={{ again: asked === 'again' }} failed={dialogFailed} />}
      </Boundary>
    </>
  );
}

function Content({ route }: { route: Route }) {
  const waiting = <main aria-busy id="content" tabIndex={-1} />;
  if (route.page === 'insight') return <Load key="insight" part={INSIGHT} props={{}} waiting={waiting} />;
  if (route.page === 'agenda') return <Load key="agenda" part={AGENDA} props={{}} waiting={waiting} />;
  if (route.page === 'table') return <Load key="table" part={TABLE} props={{ params: route.filter }} waiting={waiting} />;
  return <Board params={route.filter} />;
}

/** Before it is known who the person is, nothing is listed. */
function SignedOut() {
  return (
    <main className="failed" id="content" tabIndex={-1}>
      <p>Sign in to see the applications.</p>
    </main>
  );
}

/** Sends what pages that are closed left unsent. */
function Unsent() {
  const [left, setLeft] = useState<Left>([]);
  useEffect(() => inherit<KeptChange>((changes) => setLeft((before) => [...before, ...changes])), []);
  // Another closed page may have left more since.
  const onTaken = useCallback((taken: Left) => setLeft((before) => before.filter((each) => !taken.includes(each))), []);
  return left.length > 0 && <Load part={RESEND} props={{ left, onTaken }} failed={dialogFailed} />;
}

/** Moves the focus past the header: to the first card, or to the page where there is none. */
function skipToContent(): void {
  const content = document.getElementById('content');
  (content?.querySelector<HTMLElement>('.card a') ?? content)?.focus();
}

function Header({ page }: { page: Route['page'] }) {
  const readOnly = useReadOnly();
  const signedIn = useSignedIn();
  return (
    <header className="top">
      <span className="brand">
        <img src={import.meta.env.ICON} alt="" width="24" height="24" />
        <b>Board</b>
      </span>
      <nav aria-label="Pages">
        <a href={href('/')} aria-current={page === 'board' ? 'page' : undefined}>
          <Icon name="board" /> <span>Board</span>
        </a>
        <a href={href('/table')} aria-current={page === 'table' ? 'page' : undefined}>
          <Icon name="table" /> <span>Table</span>
        </a>
        <a href={href('/agenda')} aria-current={page === 'agenda' ? 'page' : undefined}>
          <Icon name="calendar" /> <span>Agenda</span>
        </a>
        <a href={href('/insight')} aria-current={page === 'insight' ? 'page' : undefined}>
          <Icon name="insight" /> <span>Insight</span>
        </a>
      </nav>
      <span className="grow" />
      <ImportSign />
      <ConnectionSign />
      {readOnly && <span className="quiet read-only">Read only</span>}
      <Viewer />
      {signedIn && <SignOut />}
      <ThemeButton />
      <a className="button writes" href={href('/import')} aria-label="Import">
        <Icon name="upload" /> <span>Import</span>
      </a>
      <a className="button primary writes" href={href('/add')} aria-label="Add application">
        <Icon name="add" /> <span>Add</span>
      </a>
    </header>
  );
}

/** How far an import is whose dialog was closed. */
function ImportSign() {
  const work = progress.use();
  if (!work) return null;
  return (
    <a className="importing" href={href('/import')}>
      {work.now === 'running'
        ? `Importing ${number(work.done)} of ${number(work.total)}`
        : `${number(work.made)} imported${work.failed.length > 0 ? `, ${number(work.failed.length)} refused` : ''}`}
    </a>
  );
}
