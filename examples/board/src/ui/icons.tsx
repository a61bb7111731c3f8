// The few drawings of the app, 16 units square, in the colour of the text around them.

const PATHS = {
  add: 'M8 3.250v9.500M3.25 8h9.5',
  archive: 'M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.500h3',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  calendar: 'M2.75 3.750h10.500v9.500H2.750zM2.75 6.500h10.500M5.5 2v3M10.5 2v3',
  check: 'm3.5 8.5 3 3 6-7',
  close: 'm4 4 8 8M12 4l-8 8',
  exit: 'M9.5 3.500h-6v9h6M6.5 8h7M11 5.500 13.5 8 11 10.500',
  external: 'M6.5 3.500h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  grip: 'M6 3.500v.01M10 3.500v.01M6 8v.01M10 8v.01M6 12.500v.01M10 12.500v.01',
  insight: 'M3 13V8.500M8 13V3M13 13V6',
  more: 'M3.5 8v.01M8 8v.01M12.5 8v.01',
  board: 'M3 3h2.500v10H3zM6.8 3h2.500v6H6.800zM10.6 3h2.500v8h-2.500z',
  moon: 'M13 9.500A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5',
  offline: 'm2.5 2.5 11 11M4 7.500a6 6 0 0 1 2-1.200M12 7.500a6 6 0 0 0-3-1.500M6 10a3 3 0 0 1 4 0M8 12.500v.01',
  restore: 'M3 8a5 5 0 1 0 1.6-3.700M3 2.500v3h3',
  search: 'M7 2.750a4.25 4.25 0 1 0 0 8.5 4.25 4.25 0 0 0 0-8.500M10.2 10.2 13.5 13.5',
  star: 'm8 2.5 1.7 3.5 3.8.5-2.8 2.7.7 3.800L8 11.2 4.6 13l.7-3.800L2.5 6.5 6.3 6z',
  sun: 'M8 5.250a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.500M8 1.500v1M8 13.500v1M1.5 8h1M13.5 8h1M3.4 3.400l.7.7M11.9 11.900l.7.7M12.6 3.400l-.7.7M4.1 11.900l-.7.7',
  table: 'M2.75 3.750h10.500v8.500H2.750zM2.75 6.500h10.500M6.5 3.750v8.500',
  trash: 'M3 4.500h10M6.5 4.500v-2h3v2M4.5 4.500l.5 9h6l.5-9M6.8 7v4M9.2 7v4',
  upload: 'M8 10.500v-7M5 6l3-3 3 3M3 10.500v2.500h10v-2.5',
} as const;

/** A drawing that says nothing to those who do not see it: what bears it has a name of its own. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
