// The head of a checklist or a poll: its name, how to share it, and what its admin can do.

import { useState } from 'react';
import { moment } from 'trestle-web-kit/ui/dates';
import { dialogFailed, Load, part } from 'trestle-web-kit/ui/part';

import type { Checklist, Poll } from '../api/data';
import { Icon } from '../ui/icons';

const SHARE = part(() => import('./ShareDialog').then((module) => module.ShareDialog));
const ADMIN = part(() => import('../admin/Admin').then((module) => module.Admin));

export function Bar({ shareable, admin }: { shareable: Checklist | Poll; admin: boolean }) {
  const [open, setOpen] = useState<'share' | 'admin' | null>(null);
  const { shortId, name, isExpired, expiresAt } = shareable;
  const onClose = () => setOpen(null);
  return (
    <div className="bar">
      <div className="grow">
        <h1 dir="auto">{name}</h1>
        <p className="quiet">
          {shortId} {isExpired ? `has expired on ${moment(expiresAt)}: only its admin sees it` : `until ${moment(expiresAt)}`}
        </p>
      </div>
      <button type="button" className="button primary" onClick={() => setOpen('share')}>
        <Icon name="share" /> Share
      </button>
      {admin && (
        <button type="button" className="button" onClick={() => setOpen('admin')}>
          <Icon name="settings" /> Manage
        </button>
      )}
      {open === 'share' && <Load part={SHARE} props={{ shortId, name, onClose }} failed={dialogFailed} />}
      {open === 'admin' && <Load part={ADMIN} props={{ shareable, onClose }} failed={dialogFailed} />}
    </div>
  );
}
