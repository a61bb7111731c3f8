// The identity provider at which people sign in, as the server names it on the page, and what the provider answered to the
// page's last question.

import { APP } from '../app';

/** What the server says of the provider. Absent where people give a key or a token themselves. */
export interface Provider {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** What the tokens are for, if the provider has to be told. */
  readonly audience?: string;
}

/** What the page asked the provider, kept while the person is there. */
export interface Question {
  readonly state: string;
  readonly nonce: string;
  /** Proves that who asked is who takes the answer (PKCE, RFC 7636). */
  readonly verifier: string;
  /** Where the person was on the page. */
  readonly place: string;
}

const PLACE = `${APP}-question`;

export const PROVIDER = JSON.parse(document.getElementById('sign-in')?.textContent || 'null') as Provider | null;

/** The provider's name for people. */
export const PROVIDER_NAME = PROVIDER ? new URL(PROVIDER.issuer).host : '';

/** Where the provider sends people back to, exactly as it has to be registered there. */
export const RETURN = new URL(import.meta.env.BASE_URL, window.location.href).href;

/** Keeps a question until it is answered. */
export function ask(question: Question): void {
  sessionStorage.setItem(PLACE, JSON.stringify(question));
}

/** The provider's answer, with the question if this tab has asked one. Both are taken: an answer is good once. */
export const ANSWER = takeAnswer();

function takeAnswer(): { readonly params: URLSearchParams; readonly question: Question | null } | null {
  const params = new URLSearchParams(window.location.search);
  if (!PROVIDER || !(params.has('code') || params.has('error'))) return null;
  const question = JSON.parse(sessionStorage.getItem(PLACE) ?? 'null') as Question | null;
  sessionStorage.removeItem(PLACE);
  // Out of the address and the history, before anything reads where the person is.
  window.history.replaceState(null, '', window.location.pathname + (question?.place ?? ''));
  return { params, question };
}
