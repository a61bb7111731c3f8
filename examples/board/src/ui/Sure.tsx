// A button of what cannot be taken back: it asks before.

import { AlertDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { NoticeOutlet } from 'trestle-web-kit/ui/notices';

export function Sure({
  verb,
  title,
  text,
  onSure,
  children,
  ...button
}: {
  /** What the button in the dialog says. */
  verb: string;
  title: string;
  text: string;
  onSure: () => void;
  /** What the button on the page shows. */
  children: ReactNode;
  disabled?: boolean;
}) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger className="button" {...button}>
        {children}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="overlay" />
        <AlertDialog.Content className="dialog small">
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description>{text}</AlertDialog.Description>
          <div className="buttons">
            <AlertDialog.Cancel className="button">Keep it</AlertDialog.Cancel>
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
