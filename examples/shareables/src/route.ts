// Where the person is, after the `#` of the address, which browsers do not send to servers: a link can carry a passcode there.

import { useSyncExternalStore } from 'react';

/** What opens a shareable, from a link: a passcode, or the secret of a personal link. */
export interface Secret {
  readonly kind: 'passcode' | 'invitation';
  readonly text: string;
}

export type Route =
  | { readonly page: 'start' }
  | { readonly page: 'make'; readonly kind: 'checklist' | 'poll' }
  | { readonly page: 'shareable'; readonly shortId: string; readonly secret: Secret | null; readonly name: string | null };

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/** The kinds of links: `#/s/<short id>/<passcode>?<name>` and `#/i/<short id>/<secret>?<name>`. */
const KINDS: Record<string, Secret['kind']> = { s: 'passcode', i: 'invitation' };

export function routeOf(hash: string): Route {
  // Whoever follows a link is told what it is before they have opened it: the name is no secret to who has the passcode.
  const [path = '', name] = hash.replace(/^#/u, '').split('?');
  const [, first = '', second = '', ...rest] = path.split('/');
  if (first === 'new') return { page: 'make', kind: second === 'poll' ? 'poll' : 'checklist' };
  const kind = KINDS[first];
  if (!kind || !second) return { page: 'start' };
  const text = decoded(rest.join('/'));
  return { page: 'shareable', shortId: canonical(decoded(second)), secret: text ? { kind, text } : null, name: name ? decoded(name) : null };
}

/** A part of the address as it was meant; as it stands where it was cut off. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A short id as the server writes it, however it was typed. */
export function canonical(text: string): string {
  const plain = text.replace(/[^a-z\d]/giu, '').toUpperCase();
  return /^[A-Z]{6}\d{5}$/u.test(plain) ? `${plain.slice(0, 3)}-${plain.slice(3, 6)}-${plain.slice(6)}` : text.trim();
}

export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, () => window.location.hash));
}

/** The address of a shareable on this page. */
export function hrefOf(shortId: string): string {
  return `#/s/${encodeURIComponent(shortId)}`;
}

/** A link that opens a shareable anywhere. */
export function linkOf(shortId: string, { kind, text }: Secret, name: string): string {
  const [letter = 's'] = Object.entries(KINDS).find(([, each]) => each === kind) ?? [];
  const { origin, pathname } = window.location;
  return `${origin}${pathname}#/${letter}/${encodeURIComponent(shortId)}/${encodeURIComponent(text)}?${encodeURIComponent(name)}`;
}

/** Goes somewhere else. */
export function go(hash: string): void {
  window.location.hash = hash;
}

/** Takes the secret out of the address, so that neither the history nor a shoulder keeps it. */
export function hideSecret(shortId: string): void {
  window.history.replaceState(null, '', hrefOf(shortId));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}
