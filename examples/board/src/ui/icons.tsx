// The few drawings of the app.

import { ADD, CHECK, CLOSE, EXIT, GRIP, MOON, MORE, OFFLINE, SUN, TRASH, UPLOAD, Drawing } from 'trestle-web-kit/ui/icons';

const PATHS = {
  add: ADD,
  archive: 'M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.500h3',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  calendar: 'M2.75 3.750h10.500v9.500H2.750zM2.75 6.500h10.500M5.5 2v3M10.5 2v3',
  check: CHECK,
  close: CLOSE,
  exit: EXIT,
  external: 'M6.5 3.500h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  fold: 'M6 3.500 10.5 8 6 12.500',
  grip: GRIP,
  insight: 'M3 13V8.500M8 13V3M13 13V6',
  more: MORE,
  board: 'M3 3h2.500v10H3zM6.8 3h2.500v6H6.800zM10.6 3h2.500v8h-2.500z',
  mail: 'M2.5 4h11v8.500h-11zM2.5 4.500 8 9l5.5-4.500',
  moon: MOON,
  file: 'M4 2.500h5l3 3v8H4zM9 2.500v3h3',
  copy: 'M5.5 5.500h7.500v8H5.500zM10.5 5.500v-3H3v8h2.5',
  offline: OFFLINE,
  restore: 'M3 8a5 5 0 1 0 1.6-3.700M3 2.500v3h3',
  search: 'M7 2.750a4.25 4.25 0 1 0 0 8.5 4.25 4.25 0 0 0 0-8.500M10.2 10.2 13.5 13.5',
  star: 'm8 2.5 1.7 3.5 3.8.5-2.8 2.7.7 3.800L8 11.2 4.6 13l.7-3.800L2.5 6.5 6.3 6z',
  sun: SUN,
  table: 'M2.75 3.750h10.500v8.500H2.750zM2.75 6.500h10.500M6.5 3.750v8.500',
  trash: TRASH,
  upload: UPLOAD,
} as const;

/** A drawing that says nothing to those who do not see it: what bears it has a name of its own. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return <Drawing path={PATHS[name]} />;
}
