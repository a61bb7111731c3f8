// Files at signed addresses.

/** Where the server's own files are: they are asked for by whatever name of the server the page was opened with. */
const OWN = /^\/graph-runs\/files\//u;

/** The address of a file as the page asks for it. */
export function addressOf(url: string): string {
  const { pathname, search } = new URL(url, window.location.href);
  return OWN.test(pathname) ? pathname + search : url;
}

/** The text of a file. */
export async function textOf(url: string): Promise<string> {
  const answer = await fetch(addressOf(url));
  if (!answer.ok) throw new Error(`The file cannot be read: ${answer.status}`);
  return answer.text();
}
