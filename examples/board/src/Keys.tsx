// The keys of the page, as a dialog lists them.

import { Dialog } from 'radix-ui';
import { useReturnFocus } from 'trestle-web-kit/ui/focus';
import 'trestle-web-kit/styles/dialogs.css';

const ROWS: readonly (readonly [string, string])[] = [
  ['/', 'Search'],
  ['n', 'Add an application'],
  ['e', 'Open the card that has the focus, to edit it'],
  ['Arrows', 'Go from card to card'],
  ['Space on a grip', 'Pick up a card; arrows move it, Space drops it'],
  ['Ctrl or ⌘ and Z', 'Undo what was done last'],
  ['Esc', 'Close what is open'],
  ['?', 'Show these keys'],
];

export function Keys({ onClose }: { onClose: () => void }) {
  const returnFocus = useReturnFocus();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Overlay className="overlay" />
      <Dialog.Content className="dialog small" aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
        <Dialog.Title>Keys</Dialog.Title>
        <dl className="keys">
          {ROWS.map(([key, does]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <div className="buttons">
          <Dialog.Close className="button">Close</Dialog.Close>
        </div>
      </Dialog.Content>
    </Dialog.Portal>
    </Dialog.Root>
  );
}
