// The question about a conflict, whose dialog is loaded when it is needed.

import type { Question } from 'trestle-web-kit/ui/notices';
import { dialogFailed, Load, part } from 'trestle-web-kit/ui/part';

import type { Conflict } from './api/change';

// With what finds out what the conflict is about.
export const CONFLICT = part(async () => {
  const [{ ConflictDialog }] = await Promise.all([import('./conflict'), import('./api/meanwhile')]);
  return ConflictDialog;
});

export function askAbout(conflict: Conflict): Question {
  return {
    key: `${conflict.seen.id} ${conflict.seen.version} ${conflict.wish}`,
    show: (onClose) => <Load part={CONFLICT} props={{ conflict, onClose }} failed={dialogFailed} />,
  };
}
