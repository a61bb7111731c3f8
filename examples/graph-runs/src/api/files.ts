// Files at signed addresses.

import { isOwnFile, NotReached } from 'trestle-web-kit/api/answer';
import { addressBeside } from 'trestle-web-kit/api/files';

/** The address of a file as the page asks for it. */
export function addressOf(url: string): string {
  return addressBeside(url, '/graph-runs/files');
}

/** The text of a file. */
export async function textOf(url: string): Promise<string> {
  const address = new URL(addressOf(url), window.location.href);
  const answer = await fetch(address);
  if (address.origin === window.location.origin && !isOwnFile(answer)) throw new NotReached();
  if (!answer.ok) throw new Error(`The file cannot be read: ${answer.status}`);
  return answer.text();
}
