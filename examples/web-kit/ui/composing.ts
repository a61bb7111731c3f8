// Keys that compose a text belong to the input method: Enter takes a Japanese word there, and sends nothing; Escape closes nothing.

/** The key code of a key that an input method takes, also where the browser has ended the composition before it reports the key. */
const TAKEN = 229;

function keep(event: KeyboardEvent): void {
  // The keys of phones have this code too, and no name.
  if (event.isComposing || (event.keyCode === TAKEN && event.key !== 'Unidentified')) event.stopImmediatePropagation();
}

// Before whatever else listens on the page.
for (const type of ['keydown', 'keypress', 'keyup'] as const) window.addEventListener(type, keep, { capture: true });
