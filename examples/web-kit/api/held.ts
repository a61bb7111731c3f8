// Changes that wait until the server has said who the person is: those of a page that was opened without a network, and those
// that were refused because the session had ended. They are sent as the person who made them, or not at all. Only what is stored
// waits, as signing in may leave the page: what is not is refused, and whoever sent it says so.

import { ApolloLink, CombinedGraphQLErrors, Observable } from '@apollo/client';
import { ErrorLink } from '@apollo/client/link/error';

import { CONFIRMED } from './credentials';
import { isUnconfirmed } from './queue';

/** Sends an operation when the next answer about the person is there. If it is about somebody else, the page is left instead. */
function whenConfirmed(operation: ApolloLink.Operation, forward: ApolloLink.ForwardFunction): Observable<ApolloLink.Result> {
  return new Observable((observer) => {
    let stop = () => {};
    const send = () => {
      const sent = forward(operation).subscribe(observer);
      stop = () => sent.unsubscribe();
    };
    window.addEventListener(CONFIRMED, send, { once: true });
    return () => {
      window.removeEventListener(CONFIRMED, send);
      stop();
    };
  });
}

const unconfirmed = new ApolloLink((operation, forward) => {
  const waits = operation.getContext().kept && isUnconfirmed();
  return waits ? whenConfirmed(operation, forward) : forward(operation);
});

const ended: ErrorLink = new ErrorLink(({ error, operation, forward }) => {
  if (!operation.getContext().kept || !CombinedGraphQLErrors.is(error)) return undefined;
  const isRefused = error.errors.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED');
  // It may be refused any number of times.
  return isRefused ? whenConfirmed(operation, (again) => ended.request(again, forward)) : undefined;
});

/** For a page whose changes are stored, and that says who the person is by `belongsTo`. */
export const held = ApolloLink.from([unconfirmed, ended]);
