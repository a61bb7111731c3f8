// What would be lost with the page: the browser asks before it is left.

const losses = new Set<() => boolean>();

window.addEventListener('beforeunload', (event) => {
  if ([...losses].some((loses) => loses())) event.preventDefault();
});

/** Has the browser ask whenever `loses` says that something would be lost, until the answered function is called. */
export function askBeforeLeaving(loses: () => boolean): () => void {
  losses.add(loses);
  return () => losses.delete(loses);
}

/** Has the browser ask until the work has ended: what of it was not sent is stored nowhere. */
export async function stayUntil<T>(work: Promise<T>): Promise<T> {
  // Each call has an entry of its own.
  const stop = askBeforeLeaving(() => true);
  try {
    return await work;
  } finally {
    stop();
  }
}
