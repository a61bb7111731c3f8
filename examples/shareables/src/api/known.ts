// The shareables that this browser has opened, with what opens them again. The admin passcode is never stored; a refresh
// token stands in its place, which is good for one use and can be taken back.

import { newId } from 'trestle-web-kit/api/ids';
import { listeners } from 'trestle-web-kit/api/listeners';
import { APP } from 'trestle-web-kit/app';

import type { ShareableKind, ShareableRole } from '../gql/graphql';
import { forgetShown } from './shown';

export interface Known {
  readonly shortId: string;
  readonly kind: ShareableKind;
  readonly name: string;
  readonly role: ShareableRole;
  readonly voterName: string | null;
  /** Opens it again without a passcode. */
  readonly refreshToken: string | null;
  /** What the refresh token belongs to, for signing out. */
  readonly deviceId: string | null;
  /** What the person shares with others. Known to whoever made it or came by it. */
  readonly viewPasscode: string | null;
  /** The secret of a personal link, which opens it any number of times. */
  readonly invitation: string | null;
  readonly openedAt: string;
}

const PREFIX = `${APP}-known/`;
const NAME = `${APP}-name`;
const VOTER = `${APP}-voter`;
const changes = listeners();
let list: readonly Known[] | null = null;

function changed(): void {
  list = null;
  changes.announce();
}

window.addEventListener('storage', changed);

/** What is known of one. */
export function known(shortId: string): Known | null {
  return parsed(localStorage.getItem(PREFIX + shortId));
}

function parsed(text: string | null): Known | null {
  try {
    return text === null ? null : (JSON.parse(text) as Known);
  } catch {
    return null;
  }
}

/** Stores what is known more of one. What was not known before has to be complete. */
export function note(shortId: string, more: Partial<Known>): void {
  const before = known(shortId) ?? { refreshToken: null, deviceId: null, viewPasscode: null, invitation: null, voterName: null };
  const all = { ...before, ...more, shortId, openedAt: new Date().toISOString() };
  localStorage.setItem(PREFIX + shortId, JSON.stringify(all));
  changed();
}

/** Forgets one. */
export function forget(shortId: string): void {
  localStorage.removeItem(PREFIX + shortId);
  forgetShown(shortId);
  changed();
}

/** All, the latest first. */
function all(): readonly Known[] {
  list ??= Object.keys(localStorage)
    .flatMap((key) => (key.startsWith(PREFIX) ? [parsed(localStorage.getItem(key))] : []))
    .filter((one) => one !== null)
    .toSorted((one, other) => other.openedAt.localeCompare(one.openedAt));
  return list;
}

/** Calls `listener` whenever something else is known. Ends with the answered function. */
export const onKnown = changes.subscribe;

export function useAllKnown(): readonly Known[] {
  return changes.use(all);
}

export function useKnown(shortId: string): Known | null {
  return useAllKnown().find((one) => one.shortId === shortId) ?? null;
}

/** The name that the person gives with ticks and votes. */
export function ownName(): string {
  return localStorage.getItem(NAME) ?? '';
}

export function keepOwnName(name: string): void {
  localStorage.setItem(NAME, name);
}

/** Who votes from this browser: the same each time, and a secret. */
export function voterId(): string {
  const before = localStorage.getItem(VOTER);
  if (before) return before;
  const made = newId();
  localStorage.setItem(VOTER, made);
  return made;
}
