// Where the focus goes when what has it goes away. Without it a keyboard starts at the top of the page again.

import { useRef } from 'react';

/**
 * For a dialog that the address opens, and no button of its own: closed, it gives the focus back to what
 * had it, or to what fits `instead`, or to the page.
 */
export function useReturnFocus(instead?: string): (event: Event) => void {
  const before = useRef(document.activeElement);
  return (event) => {
    event.preventDefault();
    const opener = before.current;
    const there = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
    const other = instead ? document.querySelector<HTMLElement>(instead) : null;
    (there ? opener : (other ?? document.querySelector('main')))?.focus();
  };
}

/** The same part of the item after this one, or of the one before. */
export function besides(item: Element | null | undefined, selector: string): HTMLElement | null {
  const next = item?.nextElementSibling?.querySelector<HTMLElement>(selector);
  return next ?? item?.previousElementSibling?.querySelector<HTMLElement>(selector) ?? null;
}

/** Frames after which something that has not appeared is not waited for any longer. */
const FRAMES = 60;

/** Gives the focus to what fits `selector` as soon as it is there, or otherwise to something else. */
export function focusSoon(selector: string, otherwise?: HTMLElement | string | null): void {
  let frames = 0;
  const look = () => {
    const found = document.querySelector<HTMLElement>(selector);
    if (found) {
      found.focus();
      return;
    }
    frames += 1;
    if (frames === 3 && otherwise) {
      const other = typeof otherwise === 'string' ? document.querySelector<HTMLElement>(otherwise) : otherwise;
      other?.focus();
    }
    if (frames < (otherwise ? 3 : FRAMES)) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
