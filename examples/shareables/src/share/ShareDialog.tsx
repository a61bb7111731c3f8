// How others come here: link, QR code, short id and passcode.

import { Dialog } from 'radix-ui';
import { useReturnFocus } from 'trestle-web-kit/ui/focus';
import { NoticeOutlet } from 'trestle-web-kit/ui/notices';

import { useKnown } from '../api/known';
import { linkOf } from '../route';
import { Icon } from '../ui/icons';
import { LinkForOthers } from './Links';
import 'trestle-web-kit/styles/dialogs.css';

export function ShareDialog({ shortId, name, onClose }: { shortId: string; name: string; onClose: () => void }) {
  const returnFocus = useReturnFocus();
  const passcode = useKnown(shortId)?.viewPasscode;
  const link = passcode ? linkOf(shortId, { kind: 'passcode', text: passcode }, name) : null;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog small" aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
          <div className="dialog-bar">
            <Dialog.Title>Share</Dialog.Title>
            <Dialog.Close className="bare" aria-label="Close">
              <Icon name="close" />
            </Dialog.Close>
          </div>
          {link ? (
            <div className="shared">
              <LinkForOthers name={name} link={link} />
              <p className="quiet">
                The short id is <b>{shortId}</b>, the passcode is <b className="code">{passcode}</b>.
              </p>
            </div>
          ) : (
            <p>
              The short id is <b>{shortId}</b>. This browser does not know the view passcode: whoever made this can set a new one
              under “Manage”.
            </p>
          )}
          <NoticeOutlet />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
