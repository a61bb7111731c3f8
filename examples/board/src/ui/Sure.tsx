// A button of what cannot be taken back: it asks before.

import { AlertDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { NoticeOutlet } from 'trestle-web-kit/ui/notices';

export function Sure({
  verb,
  title,
  text,
  keep = 'Keep it',
  onAsk,
  onSure,
  children,
  ...button
}: {
  /** What the button in the dialog says. */
  verb: string;
  title: string;
  text: string;
  /** What the button that changes nothing says. */
  keep?: string;
  /** The person is asked now. */
  onAsk?: () => void;
  onSure: () => void;
  /** What the button on the page shows. */
  children: ReactNode;
  className?: string;
  disabled?: boolean;
  'aria-label'?: string;
}) {
  return (
    <AlertDialog.Root onOpenChange={(open) => open && onAsk?.()}>
      <AlertDialog.Trigger className="button" {...button}>
        {children}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="overlay" />
        <AlertDialog.Content className="dialog small">
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description>{text}</AlertDialog.Description>
          <div className="buttons">
            <AlertDialog.Cancel className="button">{keep}</AlertDialog.Cancel>
            <AlertDialog.Action className="button danger" onClick={onSure}>
              {verb}
            </AlertDialog.Action>
          </div>
          <NoticeOutlet />
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
