// Parts of the page that are loaded after the first one. A file that does not arrive, because there is no network or a new
// release has taken its place, is asked for again, and what is shown meanwhile says so.

import { type ComponentType, type ReactNode, useEffect, useSyncExternalStore } from 'react';

import { listeners } from '../api/listeners';
import { REACHED, untilReached } from '../api/network';
import { lookForRelease } from '../api/release';

type State<Props> =
  | { readonly now: 'waiting' }
  | { readonly now: 'there'; readonly component: ComponentType<Props> }
  /** `newer`: a new release is there, which does not have the file. */
  | { readonly now: 'failed'; readonly newer: boolean };

/** A component that is loaded when it is first shown, or before. */
export interface Part<Props> {
  /** Loads it, unless it is there or on its way. Never rejects. */
  readonly load: () => Promise<void>;
  readonly read: () => State<Props>;
  /** Whether nobody has asked for it yet. */
  readonly isUnasked: () => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

/** How often a part is loaded again by itself although the server can be reached, and the first pause before that, in milliseconds. */
const TRIES = 5;
const PAUSE_MS = 500;

/** A part that `bring` loads. */
export function part<Props extends object>(bring: () => Promise<ComponentType<Props>>): Part<Props> {
  let state: State<Props> = { now: 'waiting' };
  let running: Promise<void> | null = null;
  let tries = 0;
  const { announce, subscribe } = listeners();
  const set = (next: State<Props>) => {
    state = next;
    announce();
  };
  async function run(): Promise<void> {
    try {
      set({ now: 'there', component: await bring() });
    } catch {
      set({ now: 'failed', newer: await lookForRelease() });
      void again();
    }
    running = null;
  }
  /** The network may be back before anything has noticed that it was gone. */
  async function again(): Promise<void> {
    await untilReached();
    tries += 1;
    if (tries > TRIES || state.now !== 'failed' || state.newer) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * tries));
    await load();
  }
  function load(): Promise<void> {
    if (state.now === 'there') return Promise.resolve();
    running ??= run();
    return running;
  }
  return {
    load,
    read: () => state,
    isUnasked: () => state.now === 'waiting' && running === null,
    subscribe,
  };
}

/** How long the first page has for itself before the other parts are loaded, in milliseconds. */
const FIRST_MS = 1500;

/**
 * Loads parts when the first page is painted and nothing else is to be done, so that they are there without a network. What the
 * server did not send is loaded when it answers again.
 */
export function preload(parts: readonly Pick<Part<never>, 'load' | 'isUnasked'>[]): () => void {
  const again = async () => {
    for (const each of parts) if (!each.isUnasked()) await each.load();
  };
  const reached = () => void again();
  window.addEventListener(REACHED, reached);
  const timer = setTimeout(() => {
    const all = async () => {
      for (const each of parts) if (each.isUnasked()) await each.load();
    };
    if ('requestIdleCallback' in window) window.requestIdleCallback(() => void all());
    else void all();
  }, FIRST_MS);
  return () => {
    clearTimeout(timer);
    window.removeEventListener(REACHED, reached);
  };
}

/** Whether a part is there, for what does not have it loaded. */
export function useIsThere<Props>({ subscribe, read }: Pick<Part<Props>, 'subscribe' | 'read'>): boolean {
  return useSyncExternalStore(subscribe, () => read().now === 'there');
}

/** What is shown if a part could not be loaded. */
export interface Failure {
  readonly newer: boolean;
  readonly again: () => void;
}

/** Shows a part as soon as it is there. */
export function Load<Props extends object>({
  part: { load, read, subscribe },
  props,
  waiting = null,
  failed = pageFailed,
}: {
  part: Part<Props>;
  props: Props;
  waiting?: ReactNode;
  failed?: (failure: Failure) => ReactNode;
}) {
  const state = useSyncExternalStore(subscribe, read);
  useEffect(() => {
    // Also one that failed while nobody looked.
    void load();
    const again = () => void load();
    window.addEventListener(REACHED, again);
    return () => window.removeEventListener(REACHED, again);
  }, [load]);
  if (state.now === 'waiting') return waiting;
  const Shown = state.now === 'there' ? state.component : null;
  if (Shown) return <Shown {...props} />;
  return state.now === 'failed' && failed({ newer: state.newer, again: () => void load() });
}

/** In the place of a page. */
function pageFailed(failure: Failure) {
  return (
    <main className="failed" id="content" tabIndex={-1}>
      <FailedText {...failure} />
    </main>
  );
}

/** Over the page, in the place of a dialog. */
export function dialogFailed(failure: Failure) {
  return (
    <div className="toasts">
      <div className="toast bad">
        <FailedText {...failure} />
      </div>
    </div>
  );
}

/** The sentence, and what a person can do. */
export function FailedText({ newer, again }: Failure) {
  return (
    <p role="alert">
      {newer ? 'A new version is there. ' : 'This part of the page could not be loaded. '}
      <button type="button" className="link" onClick={newer ? () => window.location.reload() : again}>
        {newer ? 'Reload' : 'Try again'}
      </button>
    </p>
  );
}
