// Signs people in at the identity provider that the server names, and keeps them signed in: OpenID Connect, authorization code
// with PKCE. The page is a public client, so that it has no secret.

import * as oauth from 'oauth4webapi';

import { askAgain, credential, ENDED, endsSoon, RENEWED, renewed, type Session, session, SIGNED_IN } from './credentials';
import { isReachable, REACHED } from './network';
import { type ANSWER, ask, PROVIDER, PROVIDER_NAME, RETURN } from './provider';
import { APP } from '../app';

/** How long the provider may take for an answer, in milliseconds. */
const PATIENCE_MS = 10_000;
/** By how much the clocks may differ, in seconds. */
const SKEW = 60;
/** How long before its end a token is renewed at the latest, in milliseconds. */
const EARLY_MS = 60_000;
/** How long a token without a known end is used, in seconds. */
const LIFETIME = 300;
/** The longest wait before a renewal that did not get through is tried again, in milliseconds. */
const LONGEST_MS = 60_000;
/** How long before its end a session that nothing renews is announced to end, in milliseconds. */
const NOTICE_MS = 180_000;
/** A timer takes no longer time, in milliseconds. */
const MOST_MS = 2_000_000_000;

/** What went wrong, in a sentence for the person. */
class SignInError extends Error {
  override readonly name = 'SignInError';
}

/** The errors after which a refresh token is good for nothing. Others pass. */
const FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

const STRANGE = `The answer of ${PROVIDER_NAME} does not belong to a sign-in that this tab began. Try again.`;
const SILENT = `${PROVIDER_NAME} does not answer. Try again.`;

const issuer = new URL(PROVIDER?.issuer ?? window.location.origin);
const client: oauth.Client = { client_id: PROVIDER?.clientId ?? '', [oauth.clockTolerance]: SKEW };

/** A server takes an issuer without https on its own machine only. */
function options() {
  return { [oauth.allowInsecureRequests]: issuer.protocol === 'http:', signal: AbortSignal.timeout(PATIENCE_MS) };
}

let found: Promise<oauth.AuthorizationServer> | null = null;

/** What the provider says of itself. */
function discover(): Promise<oauth.AuthorizationServer> {
  const asked = found ?? oauth.discoveryRequest(issuer, options()).then((response) => {
    if (!response.ok) throw new SignInError(SILENT);
    return oauth.processDiscoveryResponse(issuer, response);
  });
  found = asked;
  asked.catch(() => {
    found = null;
  });
  return asked;
}

/** An address of the provider that the person is sent to. */
function addressOf(endpoint: string | undefined, parameters: Record<string, string | undefined>): URL {
  const address = new URL(endpoint ?? '', issuer);
  if (!endpoint || !['https:', issuer.protocol].includes(address.protocol)) throw new SignInError(`${PROVIDER_NAME} does not say where to sign in.`);
  for (const [name, value] of Object.entries(parameters)) if (value) address.searchParams.set(name, value);
  return address;
}

/** Sends the person to the provider. Rejects with a sentence if they cannot be. */
export async function begin(): Promise<void> {
  if (!window.isSecureContext) throw new SignInError('Signing in needs https: ask whoever runs this server.');
  await inWords(async () => {
    // Asked again: a provider that is down is better said here than shown by the browser.
    found = null;
    const { authorization_endpoint: endpoint } = await discover();
    const verifier = oauth.generateRandomCodeVerifier();
    const question = { state: oauth.generateRandomState(), nonce: oauth.generateRandomNonce(), verifier, place: window.location.hash };
    const address = addressOf(endpoint, {
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: RETURN,
      scope: PROVIDER?.scope,
      audience: PROVIDER?.audience,
      state: question.state,
      nonce: question.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    ask(question);
    window.location.assign(address);
  });
}

/** The credential and the session of an answer. Rejects with a sentence if the answer is none to the question, or a refusal. */
export function finish({ params, question }: NonNullable<typeof ANSWER>): Promise<{ token: string; session: Session }> {
  return inWords(async () => {
    if (!question) throw new SignInError(STRANGE);
    const server = await discover();
    const checked = oauth.validateAuthResponse(server, client, params, question.state);
    const answer = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), checked, RETURN, question.verifier, options());
    const expected = { expectedNonce: question.nonce, requireIdToken: true };
    const result = await oauth.processAuthorizationCodeResponse(server, client, answer, expected);
    return { token: result.access_token, session: sessionOf(result, null, false) };
  });
}

/**
 * Ends the session at the provider, as far as it lets pages do so: its refresh token is good for nothing then. Answers where the
 * person is sent to; nowhere if the provider has no such place.
 */
export async function end({ idToken, refreshToken }: Session): Promise<URL | null> {
  const server = await discover();
  if (refreshToken && server.revocation_endpoint) {
    // Whoever signs out has signed out, whatever the provider says.
    await oauth.revocationRequest(server, client, oauth.None(), refreshToken, options()).catch(() => {});
  }
  const { end_session_endpoint: endpoint } = server;
  if (!endpoint) return null;
  return addressOf(endpoint, { id_token_hint: idToken, client_id: client.client_id, post_logout_redirect_uri: RETURN });
}

function sessionOf(result: oauth.TokenEndpointResponse, before: Session | null, forced: boolean): Session {
  const lifetime = (result.expires_in ?? LIFETIME) * 1000;
  const end = Date.now() + lifetime;
  return {
    refreshToken: result.refresh_token ?? before?.refreshToken,
    idToken: result.id_token ?? before?.idToken,
    subject: subjectOf(result) ?? before?.subject ?? '',
    renew: end - Math.min(EARLY_MS, lifetime / 3),
    end,
    forced,
  };
}

function subjectOf(result: oauth.TokenEndpointResponse): string | undefined {
  return oauth.getValidatedIdTokenClaims(result)?.sub;
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SignInError ? error : new SignInError(wordsOf(error), { cause: error });
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied') {
    return `The sign-in at ${PROVIDER_NAME} was cancelled or not allowed. Try again.`;
  }
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    return `${PROVIDER_NAME} refuses the sign-in: ${(error.error_description ?? error.error).replace(/\.$/u, '')}. Try again.`;
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === oauth.JWT_TIMESTAMP_CHECK) {
    return `The clocks of this device and of ${PROVIDER_NAME} differ by more than a minute. Set this device's clock and try again.`;
  }
  // `fetch` rejects with a TypeError if no answer arrived, and as its signal does if none arrives in time.
  if ((error instanceof TypeError && code === undefined) || error instanceof DOMException) return SILENT;
  if (error instanceof oauth.OperationProcessingError && code === oauth.INVALID_RESPONSE) return STRANGE;
  return `${PROVIDER_NAME} gave an answer that cannot be used. Try again.`;
}

/** For whom this tab is the one that renews: a refresh token is often good for one use. */
const leads = new Set<string>();
/** For whom it asked to be that. */
const asked = new Set<string>();
let running: Promise<void> | null = null;
let failures = 0;
let retry = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Renews the session before its token ends, in one of the tabs, for all of them. */
export function keepRenewed(): void {
  const { subject } = session() ?? {};
  if (subject !== undefined && !asked.has(subject)) {
    asked.add(subject);
    void navigator.locks?.request(`${APP}-renewal/${subject}`, () => {
      leads.add(subject);
      schedule();
      return new Promise(() => {});
    });
  }
  schedule();
}

for (const event of ['online', REACHED]) window.addEventListener(event, due);
document.addEventListener('visibilitychange', due);

/** Whether this tab renews a session. */
function isMine({ refreshToken, subject }: Session): boolean {
  return refreshToken !== undefined && leads.has(subject);
}

function schedule(): void {
  clearTimeout(timer);
  const now = session();
  const notice = now && !now.refreshToken ? now.end - NOTICE_MS : Infinity;
  endsSoon(now && notice <= Date.now() && now.end > Date.now() ? now.end : null);
  if (!now) return;
  const end = notice > Date.now() ? Math.min(notice, now.end) : now.end;
  const at = isMine(now) ? Math.max(now.renew, retry) : end;
  // What is over already is noticed by the server's refusal.
  if (at > Date.now() || isMine(now)) timer = setTimeout(due, Math.min(Math.max(at - Date.now(), 0), MOST_MS));
}

function due(): void {
  const now = session();
  if (now && isMine(now) && Date.now() >= Math.max(now.renew, retry)) void renew(false);
  else if (now && !now.refreshToken && Date.now() >= now.end) askIfReachable(ENDED);
  else schedule();
}

/** Without a network, nobody is asked: what is changed waits, and the server's refusal says later what is over. */
function askIfReachable(why: string): void {
  if (isReachable()) askAgain(why);
}

/** Renews a token that the server refuses, or lets the tab do it that renews. Asks the person if that does not succeed. */
export async function renewRefused(): Promise<void> {
  const now = session();
  if (now && isMine(now)) return renew(true);
  const over = new AbortController();
  const isRenewed = await new Promise<boolean>((resolve) => {
    for (const event of [RENEWED, SIGNED_IN]) window.addEventListener(event, () => resolve(true), { signal: over.signal });
    setTimeout(() => resolve(false), PATIENCE_MS);
  });
  over.abort();
  if (!isRenewed) askAgain(session()?.refreshToken ? SILENT : ENDED);
}

function renew(forced: boolean): Promise<void> {
  running ??= attempt(forced).finally(() => {
    running = null;
    schedule();
  });
  return running;
}

async function attempt(forced: boolean): Promise<void> {
  const before = session();
  const token = credential();
  if (!before?.refreshToken || token === null) return;
  const isOver = () => forced || Date.now() >= before.end;
  try {
    const server = await discover();
    const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), before.refreshToken, options());
    const result = await oauth.processRefreshTokenResponse(server, client, answer);
    failures = 0;
    retry = 0;
    // Signed out meanwhile, or signed in anew.
    if (credential() !== token) return;
    // Never somebody else: who it is was confirmed for the session.
    if ((subjectOf(result) ?? before.subject) === before.subject) {
      renewed(result.access_token, sessionOf(result, before, forced));
      return;
    }
  } catch (error) {
    if (credential() !== token) return;
    if (!(error instanceof oauth.ResponseBodyError && FINAL.has(error.error))) {
      failures += 1;
      retry = Date.now() + Math.min(LONGEST_MS, 1000 * 2 ** failures);
      if (isOver()) askIfReachable(SILENT);
      return;
    }
  }
  // The provider takes it no longer.
  renewed(token, { ...before, refreshToken: undefined });
  if (isOver()) askAgain(ENDED);
}
