// Keys that work anywhere on the page while nothing is typed and nothing is open over it, and the palette of what can be done.

import { useEffect, useState } from 'react';
import { dialogFailed, Load, part } from 'trestle-web-kit/ui/part';

import type { Command } from './Palette';
import { href } from './route';

export const PALETTE = part(() => import('./Palette').then((module) => module.Palette));

/** What presses a link of the header, as long as the person sees it: whoever may not write has none to add by. */
function link(name: string, path: string, key?: string): Command & { readonly isThere: () => boolean } {
  const isThere = () => document.querySelector<HTMLElement>(`header.top a[href^="#${path}"]`)?.checkVisibility() ?? false;
  const run = () => isThere() && window.location.assign(href(path));
  return { name, ...(key && { key }), run, isThere };
}

const SEARCH: Command = { name: 'Search', key: '/', run: () => document.querySelector<HTMLElement>('input[type="search"]')?.focus() };
const LINKS = [
  link('Add an application', '/add', 'n'),
  link('Import a spreadsheet', '/import'),
  link('Board', '/'),
  link('Table', '/table'),
  link('Agenda', '/agenda'),
  link('Insight', '/insight'),
];
const EDIT: Command = {
  name: 'Open',
  key: 'e',
  run: () => document.activeElement?.closest('.card')?.querySelector<HTMLElement>('h3 a')?.click(),
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
      const action = isPalette ? () => setOpen(true) : [SEARCH, ...LINKS, EDIT].find(({ key }) => key === event.key)?.run;
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  const props = { commands: [SEARCH, ...LINKS.filter(({ isThere }) => isThere())], onClose: () => setOpen(false) };
  return isOpen && <Load part={PALETTE} props={props} failed={dialogFailed} />;
}
