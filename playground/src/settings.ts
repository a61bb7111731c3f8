/** What the server writes into the page: see the contract in README.md. */
export interface Settings {
  /** Where operations are sent: a path on this origin. */
  readonly endpoint: string;
  /** GraphQL documents that work on the loaded data, each opened in a tab of its own. */
  readonly examples: readonly string[];
}

/** Reads the settings out of the page. Throws when the page was served without them. */
export function readSettings(page: Document): Settings {
  const text = page.getElementById('playground-settings')?.textContent;
  if (!text) {
    throw new Error('The page has no #playground-settings.');
  }
  return JSON.parse(text) as Settings;
}
