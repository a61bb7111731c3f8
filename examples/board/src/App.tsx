// The frame: where one is, what is open over it, and how it looks.

import { ApolloProvider, useApolloClient } from '@apollo/client/react';
import { Dialog } from 'radix-ui';
import { useEffect, useState } from 'react';

import { ENDPOINT, makeClient } from './api/client';
import { signIn, useCredentialAsked } from './api/credentials';
import { follow } from './api/live';
import { useOnline } from './api/network';
import { AddDialog } from './board/AddDialog';
import { Board } from './board/Board';
import { Detail } from './detail/Detail';
import { ImportDialog } from './importing/ImportDialog';
import { Insight } from './insight/Insight';
import { close, href, useRoute } from './route';
import { Icon } from './ui/icons';
import { NoticeProvider } from './ui/notices';
import { useTheme } from './ui/theme';

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
  return (
    <>
      <Header page={route.page} />
      <Offline />
      {route.page === 'insight' ? <Insight /> : <Board params={route.filter} />}
      {route.application && (
        <Detail key={route.application} id={route.application} onClose={close} />
      )}
      {route.dialog === 'import' && <ImportDialog onClose={close} />}
      {route.dialog === 'add' && (
        <AddDialog status={window.location.hash.split(/[/?]/u)[2] ?? ''} onClose={close} />
      )}
      <SignIn />
    </>
  );
}

function Header({ page }: { page: 'board' | 'insight' }) {
  const { dark, toggle } = useTheme();
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
        <a href={href('/insight')} aria-current={page === 'insight' ? 'page' : undefined}>
          <Icon name="insight" /> <span>Insight</span>
        </a>
      </nav>
      <span className="grow" />
      <button
        type="button"
        className="bare"
        aria-label={dark ? 'Use light colours' : 'Use dark colours'}
        onClick={toggle}
      >
        <Icon name={dark ? 'sun' : 'moon'} />
      </button>
      <a className="button" href={href('/import')} aria-label="Import">
        <Icon name="upload" /> <span>Import</span>
      </a>
      <a className="button primary" href={href('/add')} aria-label="Add application">
        <Icon name="add" /> <span>Add</span>
      </a>
    </header>
  );
}

/** Says that there is no network, and reads everything anew when there is one again. */
function Offline() {
  const online = useOnline();
  const apollo = useApolloClient();
  const [wasOffline, setWasOffline] = useState(false);
  useEffect(() => {
    if (!online) setWasOffline(true);
    else if (wasOffline) {
      setWasOffline(false);
      apollo.refetchQueries({ include: 'active' }).catch(() => {});
    }
  }, [online, wasOffline, apollo]);
  return (
    <div role="status">
      {!online && (
        <p className="banner">
          <Icon name="offline" /> You are offline. What you change is sent as soon as you are back.
        </p>
      )}
    </div>
  );
}

/** Asks for an API key or token where the server wants one. */
function SignIn() {
  const asked = useCredentialAsked();
  const apollo = useApolloClient();
  if (asked === 'no') return null;
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog small">
          <Dialog.Title>Who are you?</Dialog.Title>
          <Dialog.Description>
            This server wants an API key or a token. It is kept until you close the tab.
          </Dialog.Description>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              const text = String(new FormData(event.currentTarget).get('credential') ?? '').trim();
              if (!text) return;
              signIn(text);
              apollo.refetchQueries({ include: 'active' }).catch(() => {});
            }}
          >
            <label>
              <span>API key or token</span>
              <input name="credential" type="password" autoComplete="off" required />
            </label>
            {asked === 'again' && <p role="alert">The server refuses what was given.</p>}
            <div className="buttons">
              <button className="button primary">Sign in</button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
