// What lifts a card. What moves it is loaded after the first page: a press before that is repeated when it is there.

import { createContext } from 'react';
import { part } from 'trestle-web-kit/ui/part';

export const DRAGGING = part(() => import('./Dragging').then((module) => module.Dragging));

/** The id of the card that is lifted. */
export const Lifted = createContext<string | null>(null);

/** The id of the text that says how a card is moved by keyboard. */
export const HELP = 'drag-help';

/** A card that may be lifted, as `useDraggable` knows it. */
export interface Liftable {
  readonly id: string;
  readonly name: string;
}

type Press = React.MouseEvent | React.TouchEvent | React.KeyboardEvent;
type Lift = (press: Press, card: Liftable) => void;

let lift: Lift | null = null;
/** The first press, as long as it lasts. */
let pending: Event | null = null;

/** A press on a card, or of a key on its grip. `failed` is called for one on the grip if what moves cards cannot be loaded. */
export function press(event: Press, card: Liftable, failed: (newer: boolean) => void): void {
  if (lift) {
    lift(event, card);
    return;
  }
  const isKey = 'key' in event;
  if (isKey && ![' ', 'Enter'].includes(event.key)) return;
  // Nothing else happens by it.
  if (isKey) event.preventDefault();
  pending = event.nativeEvent;
  const end = () => {
    pending = null;
  };
  if (!isKey) for (const name of ['mouseup', 'touchend', 'touchcancel']) window.addEventListener(name, end, { once: true });
  const isOnGrip = (event.target as Element).closest('.grip') !== null;
  void DRAGGING.load().then(() => {
    const state = DRAGGING.read();
    if (state.now === 'failed' && isOnGrip) failed(state.newer);
  });
}

/** From now on, presses are taken, until the answered function is called. */
export function takePresses(take: Lift): () => void {
  lift = take;
  const before = pending;
  pending = null;
  if (before) before.target?.dispatchEvent(repeated(before));
  return () => {
    if (lift === take) lift = null;
  };
}

function repeated(event: Event): Event {
  if (event instanceof KeyboardEvent) return new KeyboardEvent(event.type, event);
  if (event instanceof MouseEvent) return new MouseEvent(event.type, event);
  const { touches, targetTouches, changedTouches } = event as TouchEvent;
  const lists = { touches: [...touches], targetTouches: [...targetTouches], changedTouches: [...changedTouches] };
  return new TouchEvent(event.type, { bubbles: true, cancelable: true, ...lists });
}
