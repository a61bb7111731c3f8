// Whether what is shown is up to date, and what a person has to know of a connection or a page that is lost.

import { useApolloClient } from '@apollo/client/react';
import { useEffect, useRef } from 'react';

import { type Connection, useConnection } from '../api/network';
import { useWaiting } from '../api/queue';
import { useNewRelease } from '../api/release';
import { number } from './dates';
import { Drawing, MOON, OFFLINE, SUN } from './icons';
import { useTheme } from './theme';

const CONNECTIONS: Record<Connection, string> = {
  live: 'Live',
  connecting: 'Connecting',
  gone: 'No server',
  offline: 'Offline',
};

/** Whether what is shown is up to date. After a gap everything is read anew. */
export function ConnectionSign() {
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

/**
 * What a person has to know of a connection that is lost, and of a page that is. `keeps`: whether the page keeps changes
 * until they are sent.
 */
export function Lost({ keeps = true }: { keeps?: boolean }) {
  const connection = useConnection();
  const waiting = useWaiting();
  const newer = useNewRelease();
  const kept = waiting === 0 ? 'What you change is kept, also if you close the page, and sent' : `${number(waiting)} ${waiting === 1 ? 'change waits. It is' : 'changes wait. They are'} kept, also if you close the page, and sent`;
  const until = (back: string) => (keeps ? `${kept} as soon as ${back}.` : `What is shown is read anew as soon as ${back}.`);
  return (
    <div role="status">
      {connection === 'offline' && (
        <p className="banner">
          <Drawing path={OFFLINE} /> You are offline. {until('you are back')}
        </p>
      )}
      {connection === 'gone' && (
        <p className="banner">
          <Drawing path={OFFLINE} /> The server does not answer. {until('it is back')}
        </p>
      )}
      {newer && (
        <p className="banner">
          A new version is there.
          <button type="button" className="link" onClick={() => window.location.reload()}>
            Reload
          </button>
        </p>
      )}
    </div>
  );
}

/** Changes between dark and light. */
export function ThemeButton() {
  const { dark, toggle } = useTheme();
  return (
    <button
      type="button"
      className="bare"
      aria-label={dark ? 'Use light colours' : 'Use dark colours'}
      onClick={toggle}
    >
      <Drawing path={dark ? SUN : MOON} />
    </button>
  );
}
