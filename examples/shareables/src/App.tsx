// The frame: where one is, what is open over it, and how it looks.

import { ApolloProvider } from '@apollo/client/react';
import { useEffect } from 'react';
import { STORES, storePage } from 'trestle-web-kit/api/worker';
import { Boundary } from 'trestle-web-kit/ui/Boundary';
import { ConnectionSign, Lost, ThemeButton } from 'trestle-web-kit/ui/Connection';
import { number } from 'trestle-web-kit/ui/dates';
import { NoticeProvider } from 'trestle-web-kit/ui/notices';
import { Load, part, preload } from 'trestle-web-kit/ui/part';

import { useResend } from './api/changes';
import { client } from './api/client';
import { useHeld } from './api/inTurn';
import { useAllKnown, useKnown } from './api/known';
import { useIsClosed } from './api/session';
import { hrefOf, useRoute } from './route';
import { Start } from './start/Start';

const MAKE = part(() => import('./make/Make').then((module) => module.Make));
const SHAREABLE = part(() => import('./Shareable').then((module) => module.Shareable));

export function App() {
  // The worker loads the other parts, so that they are there without a network; where there is none, the page does.
  useEffect(() => (STORES ? storePage() : preload([SHAREABLE, MAKE])), []);
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
  useResend();
  const place = route.page === 'shareable' ? route.shortId : route.page;
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
        <a className="brand" href="#/" aria-label="Lists and polls">
          <img src={import.meta.env.ICON} alt="" width="24" height="24" />
          <b>Lists and polls</b>
        </a>
        <span className="grow" />
        {route.page === 'shareable' && <ListConnection shortId={route.shortId} />}
        <ThemeButton />
      </header>
      <Lost />
      <Held />
      <Boundary key={place}>
        {route.page === 'start' && <Start />}
        {route.page === 'make' && <Load key={route.kind} part={MAKE} props={{ kind: route.kind }} waiting={WAITING} />}
        {route.page === 'shareable' && (
          <Load
            key={route.shortId}
            part={SHAREABLE}
            props={{ shortId: route.shortId, secret: route.secret, name: route.name }}
            waiting={WAITING}
          />
        )}
      </Boundary>
    </>
  );
}

/** Changes that were not refused for good: they are sent when the person has given the new passcode. */
function Held() {
  const held = useHeld();
  const list = useAllKnown();
  return (
    <div role="status">
      {held.map(({ shortId, count }) => (
        <p key={shortId} className="banner">
          <span>
            {number(count)} {count === 1 ? 'change waits' : 'changes wait'} until you open{' '}
            <a href={hrefOf(shortId)}>{list.find((one) => one.shortId === shortId)?.name ?? shortId}</a> again.
          </span>
        </p>
      ))}
    </div>
  );
}

/** Nothing is followed before this browser can open it. */
function ListConnection({ shortId }: { shortId: string }) {
  const known = useKnown(shortId);
  const isClosed = useIsClosed(shortId);
  return known && !isClosed && <ConnectionSign />;
}

const WAITING = <main aria-busy id="content" tabIndex={-1} />;
