// The few drawings of the page.

import { ADD, CHECK, CLOSE, Drawing, EXIT, MORE, TRASH } from 'trestle-web-kit/ui/icons';

const PATHS = {
  add: ADD,
  back: 'M9.5 3.5 5 8l4.5 4.5',
  check: CHECK,
  close: CLOSE,
  copy: 'M5.5 5.500v-3h8v8h-3M2.5 5.500h8v8h-8z',
  exit: EXIT,
  list: 'm2.5 4.500 1 1 1.500-2M2.5 10.500l1 1 1.500-2M7.500 4.500h6M7.500 10.500h6',
  more: MORE,
  pen: 'm3 13 .7-3L10.5 3.200l2.300 2.300L6 12.300z',
  poll: 'M3 13V8.500M8 13V3M13 13V6',
  settings: 'M2.5 5h5M11 5h2.500M2.5 11h2M8 11h5.500M9.2 3.200v3.600M6.2 9.200v3.600',
  share: 'M6 7.500 10.500 5M6 8.500l4.500 2.500M2.500 8a1.700 1.700 0 1 0 3.400 0 1.700 1.700 0 0 0-3.400 0M10.300 4.200a1.700 1.700 0 1 0 3.400 0 1.700 1.700 0 0 0-3.400 0M10.300 11.800a1.700 1.700 0 1 0 3.400 0 1.700 1.700 0 0 0-3.400 0',
  trash: TRASH,
} as const;

/** A drawing that says nothing to those who do not see it: what bears it has a name of its own. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return <Drawing path={PATHS[name]} />;
}
