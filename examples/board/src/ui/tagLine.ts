// The tags of an application where they are written: a line with commas.

/** The most that an application can have, and the most letters of each. */
const MOST = 20;
const LETTERS = 50;

/** The tags of a line, each once. */
export function tagsIn(line: string): string[] {
  const tags = line.split(/[,;\n]/u).map((tag) => tag.trim());
  return [...new Set(tags.filter(Boolean))];
}

/** Why a line is not saved as tags; nothing if it is. */
export function tagProblem(line: string): string | null {
  const tags = tagsIn(line);
  const long = tags.find((tag) => [...tag].length > LETTERS);
  if (long) return `“${long}” is longer than the ${LETTERS} letters of a tag: put a comma between two tags.`;
  return tags.length > MOST ? `These are ${tags.length} tags, and an application holds ${MOST} at most.` : null;
}
