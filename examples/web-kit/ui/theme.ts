// Dark or light: as the system has it, until the person chooses.

import { listeners } from '../api/listeners';
import { APP } from '../app';

const PLACE = `${APP}-theme`;
const system = window.matchMedia('(prefers-color-scheme: dark)');
const changes = listeners();

function isDark(): boolean {
  const chosen = localStorage.getItem(PLACE);
  return chosen ? chosen === 'dark' : system.matches;
}

function apply(): void {
  document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
  changes.announce();
}

system.addEventListener('change', apply);
apply();

/** The colours, and how to change them. */
export function useTheme() {
  const dark = changes.use(isDark);
  return {
    dark,
    toggle: () => {
      localStorage.setItem(PLACE, dark ? 'light' : 'dark');
      apply();
    },
  };
}
