// Files at signed addresses.

import { addressBeside } from 'trestle-web-kit/api/files';

/** The address of a file as the page asks for it. */
export function addressOf(url: string): string {
  return addressBeside(url, '/graph-runs/files');
}

/** The text of a file. */
export async function textOf(url: string): Promise<string> {
  const answer = await fetch(addressOf(url));
  if (!answer.ok) throw new Error(`The file cannot be read: ${answer.status}`);
  return answer.text();
}
