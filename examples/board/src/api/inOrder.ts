// Sends the changes of one application one after the other. A person can move a card twice before
// the first answer is here, or ten times without a network: each change then expects the version
// that the one before made, and only a stranger's change in between is a conflict.

import { ApolloLink, Observable } from '@apollo/client';

import { noteMade } from './versions';

declare module '@apollo/client' {
  interface DefaultContext {
    /** The id of the application that a mutation changes. */
    application?: string;
    /** Runs when it is the mutation's turn and the server can be reached. If it rejects, the mutation is not sent. */
    before?: () => Promise<void>;
  }
}

interface Turn {
  /** Versions that this browser saw or made while changes were on their way. */
  readonly own: Set<number>;
  /** The version that the change made; empty where it was refused or got lost. */
  readonly done: Promise<number | undefined>;
}

const newest = new Map<string, Turn>();

/** Lets a mutation whose context names its application wait for those before it. */
export const inOrder = new ApolloLink((operation, forward) => {
  const { application, before: check } = operation.getContext();
  if (typeof application !== 'string') return forward(operation);
  const before = newest.get(application);
  const expected = expectedVersion(operation.variables);
  const chain = expected === undefined ? undefined : before?.own;
  const follows = chain?.has(expected ?? 0) ?? false;
  // What belongs to an application and has no version of its own, such as a contact, is no change of it in between.
  const beside = expected === undefined ? before : undefined;
  const own = beside?.own ?? (chain && follows ? chain : new Set<number>());
  // What is created has no version yet: until then a change of it expects 0.
  own.add(expected ?? 0);
  let finish: (version: number | undefined) => void = () => {};
  const done = new Promise<number | undefined>((resolve) => {
    finish = resolve;
  });
  const turn: Turn = { own, done };
  newest.set(application, turn);
  return new Observable((observer) => {
    let version: number | undefined;
    let ended = false;
    const end = () => {
      ended = true;
      finish(version);
      if (newest.get(application) === turn) newest.delete(application);
    };
    const turnOf = async () => {
      const made = await before?.done;
      await check?.();
      return made;
    };
    const fail = (error: unknown) => {
      end();
      observer.error(error);
      return undefined;
    };
    const sent = turnOf().then((made) => {
      if (ended) return undefined;
      if (beside) version = made;
      if (made !== undefined && follows) expect(operation.variables, made);
      return forward(operation).subscribe({
        next(result) {
          const made = versionIn(result.data);
          version = made ?? version;
          if (version !== undefined) own.add(version);
          if (made !== undefined) noteMade(application, expectedVersion(operation.variables) ?? 0, made);
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

function expectedVersion(variables: Record<string, unknown>): number | undefined {
  const input = variables['input'];
  if (!isRecord(input)) return undefined;
  const version = input['expectedVersion'];
  return typeof version === 'number' ? version : undefined;
}

function expect(variables: Record<string, unknown>, version: number): void {
  const input = variables['input'];
  if (isRecord(input)) variables['input'] = { ...input, expectedVersion: version };
}

/** The version of the application in any mutation's payload; a conflict has the one that others made. */
function versionIn(data: unknown): number | undefined {
  if (!isRecord(data)) return undefined;
  for (const payload of Object.values(data)) {
    if (!isRecord(payload) || hasErrors(payload['userErrors'])) continue;
    const { application } = payload;
    const version = isRecord(application) ? application['version'] : undefined;
    if (typeof version === 'number') return version;
  }
  return undefined;
}

function hasErrors(userErrors: unknown): boolean {
  return Array.isArray(userErrors) && userErrors.length > 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
