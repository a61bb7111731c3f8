// Of when something is that was loaded before the server was lost, or that it was not loaded at all.

import { moment } from 'trestle-web-kit/ui/dates';

import { useAway } from './away';

/** `at`: when it was loaded, if by an earlier page. `missing`: whether nothing is shown. `more`: what else a person has to know. */
export function AsOf({ at, missing, more = '' }: { at: string | null; missing: boolean; more?: string }) {
  const away = useAway();
  if (at !== null) {
    return (
      <p className="as-of quiet" role="status">
        As of <time dateTime={at}>{moment(at)}</time>{more}.
      </p>
    );
  }
  if (!missing || away === null) return null;
  return (
    <p className="as-of quiet" role="status">
      Not loaded: {away}.
    </p>
  );
}
