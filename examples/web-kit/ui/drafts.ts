// What a person typed and did not save, kept until the tab closes: a reload, a closed dialog or a server that is gone takes
// none of it.

import { createContext, useContext } from 'react';

import { APP } from '../app';

const PREFIX = `${APP}-draft/`;

/** What the fields below belong to: an application, a stage, a checklist. */
export const DraftScope = createContext('');

/** The draft of a field: `read` has the text or nothing, `keep` stores it, `drop` forgets it. */
export interface Draft {
  readonly read: () => string | null;
  readonly keep: (text: string) => void;
  readonly drop: () => void;
}

export function useDraft(field: string): Draft {
  return draftOf(`${useContext(DraftScope)}/${field}`);
}

export function draftOf(name: string): Draft {
  const key = PREFIX + name;
  return {
    read: () => sessionStorage.getItem(key),
    keep: (text) => sessionStorage.setItem(key, text),
    drop: () => sessionStorage.removeItem(key),
  };
}
