// Dark or light: as the system has it, until the person chooses.

import { useSyncExternalStore } from 'react';

import { APP } from '../app';

const PLACE = `${APP}-theme`;
const system = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function isDark(): boolean {
  const chosen = localStorage.getItem(PLACE);
  return chosen ? chosen === 'dark' : system.matches;
}

function apply(): void {
  document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

system.addEventListener('change', apply);
apply();

/** The colours, and how to change them. */
export function useTheme() {
  const dark = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isDark);
  return {
    dark,
    toggle: () => {
      localStorage.setItem(PLACE, dark ? 'light' : 'dark');
      apply();
    },
  };
}
