// Keys that work anywhere on the page while nothing is typed and nothing is open over it, and the palette of what can be done.

import { useEffect, useState } from 'react';
import { dialogFailed, Load, part } from 'trestle-web-kit/ui/part';

import { href } from './route';

export const PALETTE = part(() => import('./Palette').then((module) => module.Palette));

/** What each key does. */
const ACTIONS: Readonly<Record<string, () => void>> = {
  '/': () => document.querySelector<HTMLElement>('input[type="search"]')?.focus(),
  n: () => {
    // As the button: whoever may not write has none.
    const add = document.querySelector<HTMLElement>('header.top a.primary');
    if (add?.checkVisibility()) window.location.hash = href('/add');
  },
  e: () => document.activeElement?.closest('.card')?.querySelector<HTMLElement>('h3 a')?.click(),
};

export function Shortcuts() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.altKey || event.defaultPrevented || event.repeat) return;
      const withControl = event.ctrlKey || event.metaKey;
      const isPalette = withControl ? event.key === 'k' && !event.shiftKey : event.key === '?';
      if (withControl && !isPalette) return;
      const at = event.target instanceof Element ? event.target : null;
      if (!withControl && at?.closest('input, textarea, select, [role="menu"]')) return;
      if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return;
      const action = isPalette ? () => setOpen(true) : ACTIONS[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return isOpen && <Load part={PALETTE} props={{ onSearch: ACTIONS['/'], onClose: () => setOpen(false) }} failed={dialogFailed} />;
}
