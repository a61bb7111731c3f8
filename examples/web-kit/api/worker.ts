// The service worker, by which the page opens again without a network once it was open.

/** How long the first view has for itself, in milliseconds: the worker loads the rest of the page. */
const FIRST_MS = 1500;

/** Whether the browser can have the page stored. Only secure contexts have service workers, and only a built page has one. */
export const STORES = import.meta.env.PROD && 'serviceWorker' in navigator;

/** Has the page stored, as soon as nothing else is to be done. Answers how to give that up. */
export function storePage(): () => void {
  const start = () => {
    const path = `${import.meta.env.BASE_URL}worker.js`;
    // Without it the page works as long as it is open.
    navigator.serviceWorker.register(path).catch(() => {});
  };
  const timer = setTimeout(() => {
    if ('requestIdleCallback' in window) window.requestIdleCallback(start);
    else start();
  }, FIRST_MS);
  return () => clearTimeout(timer);
}
