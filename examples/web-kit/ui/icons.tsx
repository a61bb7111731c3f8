// Drawings, 16 units square, in the colour of the text around them. Each page has a list of its own; these are used by all.

export const ADD = 'M8 3.250v9.500M3.25 8h9.5';
export const CHECK = 'm3.5 8.5 3 3 6-7';
export const CLOSE = 'm4 4 8 8M12 4l-8 8';
export const EXIT = 'M9.5 3.500h-6v9h6M6.5 8h7M11 5.500 13.5 8 11 10.500';
export const GRIP = 'M6 3.500v.01M10 3.500v.01M6 8v.01M10 8v.01M6 12.500v.01M10 12.500v.01';
export const MORE = 'M3.5 8v.01M8 8v.01M12.5 8v.01';
export const MOON = 'M13 9.500A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5';
export const OFFLINE = 'm2.5 2.5 11 11M4 7.500a6 6 0 0 1 2-1.200M12 7.500a6 6 0 0 0-3-1.500M6 10a3 3 0 0 1 4 0M8 12.500v.01';
export const SUN = 'M8 5.250a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.500M8 1.500v1M8 13.500v1M1.5 8h1M13.5 8h1M3.4 3.400l.7.7M11.9 11.900l.7.7M12.6 3.400l-.7.7M4.1 11.900l-.7.7';
export const TRASH = 'M3 4.500h10M6.5 4.500v-2h3v2M4.5 4.500l.5 9h6l.5-9M6.8 7v4M9.2 7v4';
export const UPLOAD = 'M8 10.500v-7M5 6l3-3 3 3M3 10.500v2.500h10v-2.5';

/** A drawing that says nothing to those who do not see it: what bears it has a name of its own. */
export function Drawing({ path }: { path: string }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
