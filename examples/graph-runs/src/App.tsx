// The frame: where one is, who is signed in, and what is lost.

import { ApolloProvider } from '@apollo/client/react';
import { useEffect } from 'react';
import { SIGNED_IN, useCredentialAsked, useSignedIn } from 'trestle-web-kit/api/credentials';
import { keepFor } from 'trestle-web-kit/api/queue';
import { STORES, storePage } from 'trestle-web-kit/api/worker';
import { Boundary } from 'trestle-web-kit/ui/Boundary';
import { ConnectionSign, Lost, ThemeButton } from 'trestle-web-kit/ui/Connection';
import { NoticeProvider } from 'trestle-web-kit/ui/notices';
import { dialogFailed, Load, part, preload } from 'trestle-web-kit/ui/part';
import { SessionEnd } from 'trestle-web-kit/ui/SessionEnd';
import { SignOut } from 'trestle-web-kit/ui/SignOut';

import { client } from './api/client';
import { follow } from './api/live';
import { useRoute } from './route';
import { Runs } from './runs/Runs';

const RUN = part(() => import('./run/RunPage').then((module) => module.RunPage));
const COMPARE = part(() => import('./compare/Compare').then((module) => module.Compare));
const SIGN_IN = part(() => import('trestle-web-kit/ui/SignIn').then((module) => module.SignIn));

export function App() {
  useEffect(() => follow(), []);
  // The worker loads the other parts, so that they are there without a network; where there is none, the page does.
  useEffect(() => (STORES ? storePage() : preload([RUN, COMPARE, SIGN_IN])), []);
  useEffect(() => {
    // Nothing is kept for later: an upload needs the server.
    void keepFor('this browser').catch(() => {});
    const again = () => void client.refetchQueries({ include: 'active' }).catch(() => {});
    window.addEventListener(SIGNED_IN, again);
    return () => window.removeEventListener(SIGNED_IN, again);
  }, []);
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
  const signedIn = useSignedIn();
  const waiting = <main aria-busy id="content" tabIndex={-1} />;
  return (
    <>
      <a
        className="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        Skip to the content
      </a>
      <header className="top">
        <a className="brand" href="#/" aria-label="Graphs">
          <img src={import.meta.env.ICON} alt="" width="24" height="24" />
          <b>Graphs</b>
        </a>
        <span className="grow" />
        {asked !== 'first' && <ConnectionSign />}
        {signedIn && <SignOut />}
        <ThemeButton />
      </header>
      <Lost keeps={false} />
      <SessionEnd />
      <Boundary key={`${route.page} ${asked}`}>
        {asked === 'first' ? (
          <main className="failed" id="content" tabIndex={-1}>
            <p>Sign in to see your runs.</p>
          </main>
        ) : (
          <>
            {route.page === 'runs' && <Runs environment={route.environment} />}
            {route.page === 'run' && (
              <Load key={route.runId} part={RUN} props={{ runId: route.runId, node: route.node }} waiting={waiting} />
            )}
            {route.page === 'compare' && (
              <Load part={COMPARE} props={{ from: route.from, to: route.to }} waiting={waiting} />
            )}
          </>
        )}
        {asked !== 'no' && <Load part={SIGN_IN} props={{ again: asked === 'again' }} failed={dialogFailed} />}
      </Boundary>
    </>
  );
}
