// A text to copy. Browsers give the clipboard to secure pages only; anywhere else the text is selected.

import { useId, useRef } from 'react';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { Icon } from '../ui/icons';

export function Copy({ label, text }: { label: string; text: string }) {
  const notices = useNotices();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  async function copy() {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(text);
      notices.say(`${label} copied`);
    } catch {
      notices.say('Press Control and C to copy it');
    }
  }
  return (
    <div className="copy">
      <label htmlFor={id}>{label}</label>
      <input id={id} ref={field} readOnly value={text} onFocus={({ currentTarget }) => currentTarget.select()} />
      <button type="button" className="button" aria-label={`Copy: ${label}`} onClick={() => void copy()}>
        <Icon name="copy" /> <span>Copy</span>
      </button>
    </div>
  );
}
