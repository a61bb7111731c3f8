// The frame: where one is, what is open over it, and how it looks.

import { ApolloProvider, useApolloClient } from '@apollo/client/react';
import { lazy, Suspense, useEffect, useRef, useSyncExternalStore } from 'react';

import { ENDPOINT, makeClient } from './api/client';
import { credential, signOut, useCredentialAsked } from './api/credentials';
import { follow } from './api/live';
import { type Connection, useConnection } from './api/network';
import { useReadOnly } from './api/readOnly';
import { Board } from './board/Board';
import { progress } from './importing/progress';
import { close, href, type Route, useRoute } from './route';
import { Icon } from './ui/icons';
import { NoticeProvider } from './ui/notices';
import { useTheme } from './ui/theme';
import { number } from './ui/words';
import { Viewer } from './Viewer';

// Only the board comes with the first page; whatever else is loaded when it is opened.
const AddDialog = lazy(() => import('./board/AddDialog').then((module) => ({ default: module.AddDialog })));
const Detail = lazy(() => import('./detail/Detail').then((module) => ({ default: module.Detail })));
const ImportDialog = lazy(() => import('./importing/ImportDialog').then((module) => ({ default: module.ImportDialog })));
const Insight = lazy(() => import('./insight/Insight').then((module) => ({ default: module.Insight })));
const Table = lazy(() => import('./table/Table').then((module) => ({ default: module.Table })));
const SignIn = lazy(() => import('./SignIn').then((module) => ({ default: module.SignIn })));

const client = makeClient();

export function App() {
  useEffect(() => follow(client, ENDPOINT), []);
  return (
    <ApolloProvider client={client}>
      <NoticeProvider>
        <Page />
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
      <Suspense fallback={<main aria-busy />}>
        {route.page === 'insight' && <Insight />}
        {route.page === 'table' && <Table params={route.filter} />}
        {route.page === 'board' && <Board params={route.filter} />}
      </Suspense>
      <Suspense>
        {route.application && (
          <Detail key={route.application} id={route.application} onClose={close} />
        )}
        {route.dialog === 'import' && writes && <ImportDialog onClose={close} />}
        {route.dialog === 'add' && writes && (
          <AddDialog status={window.location.hash.split(/[/?]/u)[2] ?? ''} onClose={close} />
        )}
        {asked !== 'no' && <SignIn again={asked === 'again'} />}
      </Suspense>
    </>
  );
}

/** Moves the focus past the header: to the first card, or to the page where there is none. */
function skipToContent(): void {
  const content = document.getElementById('content');
  (content?.querySelector<HTMLElement>('.card a') ?? content)?.focus();
}

function Header({ page }: { page: Route['page'] }) {
  const { dark, toggle } = useTheme();
  const readOnly = useReadOnly();
  useCredentialAsked();
  return (
    <header className="top">
      <span className="brand">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="24" height="24" />
        <b>Board</b>
      </span>
      <nav aria-label="Pages">
        <a href={href('/')} aria-current={page === 'board' ? 'page' : undefined}>
          <Icon name="board" /> <span>Board</span>
        </a>
        <a href={href('/table')} aria-current={page === 'table' ? 'page' : undefined}>
          <Icon name="table" /> <span>Table</span>
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
      {credential() && (
        <button type="button" className="button" onClick={signOut} aria-label="Sign out">
          <Icon name="exit" /> <span>Sign out</span>
        </button>
      )}
      <button
        type="button"
        className="bare"
        aria-label={dark ? 'Use light colours' : 'Use dark colours'}
        onClick={toggle}
      >
        <Icon name={dark ? 'sun' : 'moon'} />
      </button>
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
  const work = useSyncExternalStore(progress.subscribe, progress.read);
  if (!work) return null;
  return (
    <a className="importing" href={href('/import')}>
      {work.now === 'running'
        ? `Importing ${number(work.done)} of ${number(work.total)}`
        : `${number(work.made)} imported${work.failed.length > 0 ? `, ${number(work.failed.length)} refused` : ''}`}
    </a>
  );
}

const CONNECTIONS: Record<Connection, string> = {
  live: 'Live',
  connecting: 'Connecting',
  gone: 'No server',
  offline: 'Offline',
};

/** Whether what is shown is up to date. After a gap everything is read anew. */
function ConnectionSign() {
  const connection = useConnection();
  const apollo = useApolloClient();
  const reachable = connection === 'live' || connection === 'connecting';
  const was = useRef(reachable);
  useEffect(() => {
    if (reachable && !was.current) apollo.refetchQueries({ include: 'active' }).catch(() => {});
    was.current = reachable;
  }, [reachable, apollo]);
  return (
    <span className="connection" data-connection={connection}>
      <i aria-hidden="true" /> <span>{CONNECTIONS[connection]}</span>
    </span>
  );
}

/** What a person has to know of a connection that is lost. */
function Lost() {
  const connection = useConnection();
  return (
    <div role="status">
      {connection === 'offline' && (
        <p className="banner">
          <Icon name="offline" /> You are offline. What you change is sent as soon as you are back.
        </p>
      )}
      {connection === 'gone' && (
        <p className="banner">
          <Icon name="offline" /> The server does not answer. What you change is kept, and sent as soon as it is back.
        </p>
      )}
    </div>
  );
}
