// Changes that the server has not answered yet, stored in the browser: closing or reloading the page loses none of them.
// Who opens it next sends them. Sending one twice makes nothing twice: a change expects the version that it was made on,
// and what is created has its id from here.

import { createStore, delMany, entries, promisifyRequest } from 'idb-keyval';

import { APP } from '../app';
import { newId } from './ids';
import { askBeforeLeaving } from './leaving';
import { listeners } from './listeners';
import { REACHED } from './network';
import { lastPerson } from './person';

/** What is stored beside each change. */
interface Stored {
  /** Sorts the changes by the time at which they were made. */
  readonly key: string;
  /** The page that sends it. */
  readonly page: string;
  /** Who made it, as the server names them. */
  readonly who: string;
}

/** A change as it is stored: what the page needs to send it again. */
export type Kept<Change extends object> = Change & Stored;

/** A change that is on its way. `end` is called when it was answered: it is not stored any longer then. */
export interface Ticket {
  readonly end: () => void;
}

const STORE = `${APP}-changes`;
const store = createStore(STORE, 'changes');

/** Changes what is stored, and ends the transaction with that: a page that is closed next has done it. */
function write(change: (changes: IDBObjectStore) => void): Promise<void> {
  return store('readwrite', (changes) => {
    change(changes);
    changes.transaction.commit();
    return promisifyRequest(changes.transaction);
  });
}

/** This page, and the lock that it holds while it is open. */
const PAGE = newId();
const lockOf = (page: string) => `${STORE}/${page}`;
// Only secure contexts have locks. Without them a page sends what others may send as well, which harms nothing.
const locks: LockManager | undefined = navigator.locks;
void locks?.request(lockOf(PAGE), () => new Promise(() => {}));

let who: string | null = null;
/** Who it is until the server says so: the last person of this browser session. */
const last = lastPerson();
const known = Promise.withResolvers<void>();
/** The changes that are on their way, with whether each of them is stored. */
const waiting = new Map<string, boolean>();
const { announce, use } = listeners();
let made = 0;
/** Whether this page shows what is stored for the last person. */
let shown = false;
/** How many changes closed pages left, until it is known whether this person may send them. */
let left = 0;

/** Stores a change until its ticket ends. */
export function keep(change: object): Ticket {
  made += 1;
  const key = `${String(Date.now()).padStart(15, '0')}-${String(made).padStart(6, '0')}-${PAGE}`;
  waiting.set(key, false);
  announce();
  const stored = (last === null ? known.promise : Promise.resolve())
    .then(() => {
      const by = who ?? last;
      if (!waiting.has(key) || by === null) return undefined;
      const made: Stored = { ...change, key, page: PAGE, who: by };
      return write((changes) => changes.put(made, key)).then(() => {
        if (waiting.has(key)) waiting.set(key, true);
      });
    })
    // A browser that stores nothing: the page asks before it is left.
    .catch(() => {});
  return ticketOf(key, stored);
}

function ticketOf(key: string, stored: Promise<unknown>): Ticket {
  return {
    end: () => {
      waiting.delete(key);
      announce();
      void stored.then(() => write((changes) => changes.delete(key))).catch(() => {});
    },
  };
}

/** How many changes wait for the server. */
export function useWaiting(): number {
  return use(() => waiting.size + left);
}

askBeforeLeaving(() => [...waiting.values()].includes(false));

async function all(): Promise<Stored[]> {
  return (await entries<string, Stored>(store)).map(([, change]) => change);
}

/** Counts what closed pages left: without the server, nobody says who the person is, and nothing is taken over. */
async function countLeft(): Promise<void> {
  for (const page of new Set((await all()).map((change) => change.page))) {
    if (page === PAGE) continue;
    const count = async () => {
      const found = (await all()).filter((change) => change.page === page).length;
      if (who !== null) return;
      left += found;
      announce();
    };
    // Whoever holds the lock is open, and shows them itself.
    void (locks ? locks.request(lockOf(page), { mode: 'shared' }, count) : count()).catch(() => {});
  }
}
void countLeft().catch(() => {});

/** Whose this page is before the server said who the person is: whose changes it has stored, or of whom it shows something. */
export function madeFor(): string | null {
  return (made > 0 || shown) && who === null ? last : null;
}

/** Whether what is stored for a person may be shown. The page is theirs from then on. */
export function mayShow(person: string): boolean {
  if (person !== (who ?? last)) return false;
  shown = true;
  return true;
}

/** The person, as soon as the server has said who they are. */
export async function confirmedPerson(): Promise<string> {
  await known.promise;
  return who ?? '';
}

/** Whether a change waits for the server to say that the person is still the one whom it is stored for. */
export function isUnconfirmed(): boolean {
  return who === null && last !== null;
}

/** Notes who the person is. What somebody else left is forgotten: it may not be sent, and not be read. */
export async function keepFor(person: string): Promise<void> {
  who = person;
  left = 0;
  known.resolve();
  announce();
  const others = (await all()).filter((change) => change.who !== person);
  await delMany(others.map(({ key }) => key), store);
}

const forgetters: (() => Promise<unknown>)[] = [];

/** Has something done when the person signs out: what else the page has stored of theirs is forgotten before it is left. */
export function whenForgotten(forget: () => Promise<unknown>): void {
  forgetters.push(forget);
}

/** Forgets all changes, and what else is stored of the person. */
export async function forgetAll(): Promise<void> {
  waiting.clear();
  left = 0;
  announce();
  const changes = all().then((stored) => delMany(stored.map(({ key }) => key), store));
  await Promise.allSettled([changes, ...forgetters.map((forget) => forget())]);
}

/**
 * Calls `take` with what pages that are not open any more left behind, in the order in which it was made: now, and when
 * another page is closed. Ends with the answered function.
 */
export function inherit<Change extends object>(
  take: (changes: readonly { change: Kept<Change>; ticket: Ticket }[]) => void,
): () => void {
  const over = new AbortController();
  const asked = new Set<string>();

  async function adopt(page: string): Promise<void> {
    const left = (await all()).filter((change) => change.page === page && change.who === who) as Kept<Change>[];
    for (const change of left) {
      waiting.set(change.key, true);
      await write((changes) => changes.put({ ...change, page: PAGE }, change.key));
    }
    announce();
    if (left.length > 0 && !over.signal.aborted) {
      take(left.map((change) => ({ change, ticket: ticketOf(change.key, Promise.resolve()) })));
    }
  }

  async function look(): Promise<void> {
    await known.promise;
    for (const { page } of await all()) {
      if (page === PAGE || asked.has(page) || over.signal.aborted) continue;
      asked.add(page);
      const adopting = locks
        ? locks.request(lockOf(page), { signal: over.signal }, () => adopt(page))
        : adopt(page);
      // Left alone when this page closes; looked at again otherwise.
      adopting.catch(() => asked.delete(page));
    }
  }

  const again = () => void look().catch(() => {});
  again();
  for (const event of ['online', REACHED]) window.addEventListener(event, again, { signal: over.signal });
  document.addEventListener('visibilitychange', again, { signal: over.signal });
  return () => over.abort();
}
