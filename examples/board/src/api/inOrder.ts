// Sends the changes of one application one after the other. A person can move a card twice before
// the first answer is here, or ten times without a network: each change then expects the version
// that the one before made, and only a stranger's change in between is a conflict.

import { ApolloLink, Observable } from '@apollo/client';

declare module '@apollo/client' {
  interface DefaultContext {
    /** The id of the application that a mutation changes. */
    application?: string;
    /** Its turn, if whoever sends it ends the turn. Otherwise it gets one that ends with its answer. */
    turn?: Turn;
    /** Runs when it is the mutation's turn and the server can be reached. If it rejects, the mutation is not sent. */
    before?: () => Promise<void>;
  }
}

/** When a change may be sent, and what lets the next one be sent. */
export interface Turn {
  readonly before: Promise<void> | undefined;
  readonly end: () => void;
}

/** The turns of the newest changes. Each ends when the change was decided, or got lost. */
const newest = new Map<string, Promise<void>>();

/** The next turn to change an application. */
export function takeTurn(application: string): Turn {
  const before = newest.get(application);
  const { promise: turn, resolve } = Promise.withResolvers<void>();
  newest.set(application, turn);
  const end = () => {
    resolve();
    if (newest.get(application) === turn) newest.delete(application);
  };
  return { before, end };
}

/** The versions that changes of this page made, by the versions that they were made on. What is created was made on 0. */
export const made = new Map<string, Map<number, number>>();

/** The version that the person saw, with what they changed themselves since: that is no change of somebody else. */
export function withOwn(application: string, version: number): number {
  const steps = made.get(application);
  let last = version;
  for (let next = steps?.get(last); next !== undefined; next = steps?.get(last)) last = next;
  return last;
}

/** Notes that a change of this page made one version of another one. */
export function noteMade(application: string, from: number, to: number): void {
  if (to <= from) return;
  const steps = made.get(application) ?? new Map<number, number>();
  made.set(application, steps.set(from, to));
}

/** Lets a mutation whose context names its application wait for those before it. */
export const inOrder = new ApolloLink((operation, forward) => {
  const { application, before: check, turn: given } = operation.getContext();
  if (typeof application !== 'string') return forward(operation);
  const turn = given ?? takeTurn(application);
  return new Observable((observer) => {
    let ended = false;
    const end = () => {
      ended = true;
      if (!given) turn.end();
    };
    const turnOf = async () => {
      await turn.before;
      await check?.();
    };
    const fail = (error: unknown) => {
      end();
      observer.error(error);
      return undefined;
    };
    const sent = turnOf().then(() => {
      if (ended) return undefined;
      const { input } = operation.variables;
      const from = isRecord(input) && typeof input['expectedVersion'] === 'number' ? withOwn(application, input['expectedVersion']) : null;
      // What has no version of its own, such as a contact, expects none.
      if (isRecord(input) && from !== null) operation.variables['input'] = { ...input, expectedVersion: from };
      return forward(operation).subscribe({
        next(result) {
          const to = versionIn(result.data);
          if (to !== undefined) noteMade(application, from ?? 0, to);
          observer.next(result);
        },
        error: fail,
        complete() {
          end();
          observer.complete();
        },
      });
    }, fail);
    return () => {
      if (!ended) end();
      void sent.then((subscription) => subscription?.unsubscribe());
    };
  });
});

/** The version of the application in any mutation's payload; a conflict has the one that others made. */
function versionIn(data: unknown): number | undefined {
  if (!isRecord(data)) return undefined;
  for (const payload of Object.values(data)) {
    if (!isRecord(payload)) continue;
    const { application, userErrors } = payload;
    if (Array.isArray(userErrors) && userErrors.length > 0) continue;
    if (isRecord(application) && typeof application['version'] === 'number') return application['version'];
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
