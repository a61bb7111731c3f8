// Lists as people paste them.

/** Marks at the beginning of a line, as the API reads them: `-`, `*`, `1.`, `[ ]` and `[x]`. */
const MARKS = /^\s*(?:(?:[-*+•–]|\d+[.)])(?:\s+|$))?(?:(?:(?<open>\[ ?\]|☐)|(?<done>\[[xX]\]|[☑☒✅✔]))(?:\s+|$))?/u;

/** A line of a list. */
export interface Line {
  readonly name: string;
  readonly isTicked: boolean;
}

/** The lines of a text without marks and without blank ones. */
export function lines(text: string): Line[] {
  const read = (line: string) => ({
    name: line.replace(MARKS, '').trim(),
    isTicked: Boolean(MARKS.exec(line)?.groups?.['done']),
  });
  return text.split('\n').map(read).filter(({ name }) => name !== '');
}
