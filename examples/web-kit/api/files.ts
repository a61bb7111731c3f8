// Files at signed addresses.

/**
 * The address of a file as the page asks for it. The server's own files, which it serves at `own`, are asked for beside the page: it
 * may have been opened with another name of the server than the server knows, or through a proxy.
 */
export function addressBeside(url: string, own: string): string {
  const { pathname, search } = new URL(url, window.location.href);
  return pathname.endsWith(own) ? own + search : url;
}
