// What the admin of a checklist or a poll can do with it.

import { Dialog } from 'radix-ui';
import { useReturnFocus } from 'trestle-web-kit/ui/focus';
import { NoticeOutlet } from 'trestle-web-kit/ui/notices';

import type { Checklist, Poll } from '../api/data';
import { Icon } from '../ui/icons';
import { ChecklistSettings } from './ChecklistSettings';
import { Devices } from './Devices';
import { Expiry } from './Expiry';
import { Export } from './Export';
import { PollSettings } from './PollSettings';
import { Secrets } from './Secrets';
import 'trestle-web-kit/styles/dialogs.css';

export function Admin({ shareable, onClose }: { shareable: Checklist | Poll; onClose: () => void }) {
  const returnFocus = useReturnFocus();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog small admin" aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
          <div className="dialog-bar">
            <Dialog.Title>Manage</Dialog.Title>
            <Dialog.Close className="bare" aria-label="Close">
              <Icon name="close" />
            </Dialog.Close>
          </div>
          {shareable.__typename === 'Poll' ? <PollSettings poll={shareable} /> : <ChecklistSettings list={shareable} />}
          <Expiry shareable={shareable} />
          <Export shareable={shareable} />
          <Devices shortId={shareable.shortId} />
          <Secrets shareable={shareable} onDeleted={onClose} />
          <NoticeOutlet />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
