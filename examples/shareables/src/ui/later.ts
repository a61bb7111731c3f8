// What is done only if nobody takes it back: ten seconds later, or as soon as the page is left.

/** How long it can be taken back, in milliseconds. */
const WAIT = 10_000;

/** Runs something later. The answered function takes it back. */
export function later(run: () => void): () => void {
  const takeBack = () => {
    clearTimeout(timer);
    window.removeEventListener('pagehide', now);
  };
  const now = () => {
    takeBack();
    run();
  };
  const timer = setTimeout(now, WAIT);
  window.addEventListener('pagehide', now);
  return takeBack;
}
