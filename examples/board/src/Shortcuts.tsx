// Keys that work anywhere on the page while nothing is typed and nothing is open over it.

import { useEffect, useState } from 'react';
import { dialogFailed, Load, part } from 'trestle-web-kit/ui/part';

import { href } from './route';

export const KEYS = part(() => import('./Keys').then((module) => module.Keys));

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
  const [isHelp, setHelp] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || event.repeat) return;
      const at = event.target instanceof Element ? event.target : null;
      if (at?.closest('input, textarea, select, [role="menu"]')) return;
      if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return;
      const action = event.key === '?' ? () => setHelp(true) : ACTIONS[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return (
    isHelp && <Load part={KEYS} props={{ onClose: () => setHelp(false) }} failed={dialogFailed} />
  );
}
