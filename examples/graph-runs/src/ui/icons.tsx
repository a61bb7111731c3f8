// The few drawings of the page.

import { CLOSE, Drawing, TRASH, UPLOAD } from 'trestle-web-kit/ui/icons';

const PATHS = {
  back: 'M9.5 3.5 5 8l4.5 4.5',
  close: CLOSE,
  compare: 'M6 3 3 6l3 3M3 6h8M10 7l3 3-3 3M13 10H5',
  download: 'M8 3v7.500M5 7.500l3 3 3-3M3 10.500v2.500h10v-2.500',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  minus: 'M3.500 8h9',
  plus: 'M8 3.500v9M3.500 8h9',
  trash: TRASH,
  upload: UPLOAD,
} as const;

/** A drawing that says nothing to those who do not see it: what bears it has a name of its own. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return <Drawing path={PATHS[name]} />;
}
