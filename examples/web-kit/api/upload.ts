// How the bytes of a file get to the place that the API gave for them.

/** Where a file is sent, and with which headers. */
export interface Place {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/**
 * Sends the bytes. `fetch` does not report how far an upload is; `progress` hears the part that is sent. If it fails, the error
 * begins with `failure`.
 */
export function put({ url, headers }: Place, bytes: Blob, failure: string, progress: (part: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    for (const { name, value } of headers) {
      // Browsers set these themselves.
      if (!/^(?:content-length|host)$/iu.test(name)) request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      if (request.status < 300) resolve();
      else reject(new Error(`${failure}: ${request.responseText.slice(0, 200) || request.status}`));
    };
    request.onerror = () => reject(new Error(`${failure}: the place for files does not answer.`));
    request.send(bytes);
  });
}
