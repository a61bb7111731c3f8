// Lists as people paste them.

/** Marks at the beginning of a line, as the API reads them: `-`, `*`, `1.` and `[ ]`. */
const MARKS = /^\s*(?:[-*•]|\d+[.)])?\s*(?:\[[ x]?\])?\s+/iu;

/** The lines of a text without marks and without blank ones. */
export function lines(text: string): string[] {
  return text.split('\n').map((line) => line.replace(MARKS, '').trim()).filter((line) => line !== '');
}
