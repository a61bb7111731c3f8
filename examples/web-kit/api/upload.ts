// How the bytes of a file get to the place that the API gave for them.

import { isOfPlace, NotReached } from './answer';
import { untilReached } from './network';

/** After so many tries it is the place that cannot be reached, and not the server. */
const TRIES = 5;

/** Where a file is sent, and with which headers. */
export interface Place {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/**
 * Sends the bytes until the place for them answers, also where the server is gone meanwhile. `progress` hears the part that is sent.
 * If it fails, the error begins with `failure`.
 */
export async function put(place: Place, bytes: Blob, failure: string, progress: (part: number) => void): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await putOnce(place, bytes, failure, progress);
      return;
    } catch (error) {
      if (!(error instanceof NotReached)) throw error;
      if (tries === TRIES) throw new Error(`${failure}: the place for files does not answer.`, { cause: error });
      await untilReached();
    }
  }
}

/** `fetch` does not report how far an upload is. */
function putOnce({ url, headers }: Place, bytes: Blob, failure: string, progress: (part: number) => void): Promise<void> {
  const isOwn = new URL(url, window.location.href).origin === window.location.origin;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    for (const { name, value } of headers) {
      // Browsers set these themselves.
      if (!/^(?:content-length|host)$/iu.test(name)) request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const { status, responseText: body } = request;
      if (!isOfPlace({ status, body, header: (name) => request.getResponseHeader(name) }, isOwn)) reject(new NotReached());
      else if (status < 300) resolve();
      else reject(new Error(`${failure}: ${body.slice(0, 200) || status}`));
    };
    request.onerror = () => reject(new NotReached());
    request.send(bytes);
  });
}
