// The name of the page that uses this package, in what it stores in the browser: pages of one origin do not read each
// other's values by accident.

/** `trestle-board` for a page under `/board/`. */
export const APP = `trestle-${import.meta.env.BASE_URL.replaceAll('/', '')}`;
