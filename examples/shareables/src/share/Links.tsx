// A link for others: its QR code, the text to copy, and what the device shares by.

import { useNotices } from 'trestle-web-kit/ui/notices';

import { Icon } from '../ui/icons';
import { Copy } from './Copy';
import { Qr } from './Qr';

export function LinkForOthers({ name, link }: { name: string; link: string }) {
  return (
    <>
      <OnlyHere />
      <Qr text={link} />
      <Copy label="Link" text={link} />
      <NativeShare name={name} link={link} />
    </>
  );
}

/** Whether the address of this page names the device itself, so that no other one can open it. */
function isOnlyHere(): boolean {
  const { hostname } = window.location;
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./u.test(hostname);
}

/** That links and QR codes open nothing on other devices. */
export function OnlyHere() {
  if (!isOnlyHere()) return null;
  return (
    <p className="problem only-here" role="note">
      Other devices cannot open this link: <b>{window.location.host}</b> is this device alone. Open the page by an address that others
      reach, and share it from there.
    </p>
  );
}

/** Offers the apps that the device shares by, where the browser has them. */
function NativeShare({ name, link }: { name: string; link: string }) {
  const notices = useNotices();
  if (typeof navigator.share !== 'function') return null;
  return (
    <button
      type="button"
      className="button"
      onClick={() => {
        navigator.share({ title: name, url: link }).catch((error: unknown) => {
          // Whoever closes the sheet shares nothing.
          if (!(error instanceof DOMException && error.name === 'AbortError')) notices.warn('It could not be shared.');
        });
      }}
    >
      <Icon name="share" /> Share by an app
    </button>
  );
}
