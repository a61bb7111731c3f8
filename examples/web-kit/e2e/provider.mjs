// An identity provider of a script's own: OpenID Connect with public clients, PKCE and a page to sign in on. It lets anybody
// be whoever they write.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';

export const CLIENT = 'page';
export const AUDIENCE = 'trestle';

const base64url = (value) => Buffer.from(value).toString('base64url');

/** The flags of `trestle serve` with which the server accepts its tokens, and names it to the pages. */
function flagsOf(issuer) {
  return [
    ['--jwt-issuer', issuer],
    ['--jwt-audience', AUDIENCE],
    ['--jwt-jwks-url', `${issuer}/keys`],
    ['--jwt-clock-skew', '0s'],
    ['--oidc-client-id', CLIENT],
    ['--oidc-scope', 'openid offline_access'],
  ].flat();
}

/** What a script sees and changes of its provider. */
class Provider {
  /** How long its tokens are good, in seconds. */
  lifetime = 3600;
  /** By how much its clock is wrong, in seconds. */
  skew = 0;
  /** Whether it gives refresh tokens, and takes those that it gave. */
  renews = true;
  /** Whether it answers nothing but errors. */
  down = false;
  /** What it has done: `code`, `renewed`, `revoked`, `ended`, and the name of each check that failed. */
  did = [];
  #codes = new Map();
  #sessions = new Map();
  #key = generateKeyPairSync('rsa', { modulusLength: 2048 });

  constructor(listening) {
    this.issuer = `http://127.0.0.1:${listening.address().port}`;
    this.host = new URL(this.issuer).host;
    this.flags = flagsOf(this.issuer);
  }

  #token(claims) {
    const now = Math.floor(Date.now() / 1000) + this.skew;
    const header = { alg: 'RS256', typ: 'JWT', kid: 'one' };
    const payload = { iss: this.issuer, iat: now, exp: now + this.lifetime, jti: randomBytes(6).toString('hex'), ...claims };
    const text = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}`;
    return `${text}.${base64url(sign('sha256', Buffer.from(text), this.#key.privateKey))}`;
  }

  #answer({ subject, nonce }) {
    const refresh = randomBytes(12).toString('hex');
    if (this.renews) this.#sessions.set(refresh, { subject });
    return {
      token_type: 'Bearer',
      expires_in: this.lifetime,
      access_token: this.#token({ sub: subject, aud: AUDIENCE, roles: ['write'] }),
      id_token: this.#token({ sub: subject, aud: CLIENT, ...(nonce && { nonce }) }),
      ...(this.renews && { refresh_token: refresh }),
    };
  }

  /** The answer of the token endpoint, or an error. */
  grant(form) {
    if (form.get('client_id') !== CLIENT) return this.#refuse('client', 'invalid_client');
    if (form.get('grant_type') === 'refresh_token') {
      const session = this.renews && this.#sessions.get(form.get('refresh_token'));
      if (!session) return this.#refuse('refresh', 'invalid_grant');
      // Good for one use.
      this.#sessions.delete(form.get('refresh_token'));
      this.did.push('renewed');
      return this.#answer(session);
    }
    const asked = this.#codes.get(form.get('code'));
    this.#codes.delete(form.get('code'));
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
    if (!asked) return this.#refuse('code', 'invalid_grant');
    if (asked.challenge !== challenge) return this.#refuse('verifier', 'invalid_grant');
    if (asked.back !== form.get('redirect_uri')) return this.#refuse('redirect', 'invalid_grant');
    this.did.push('code');
    return this.#answer(asked);
  }

  /** Takes a refresh token back. */
  revoke(form) {
    const isKnown = form.get('client_id') === CLIENT && this.#sessions.delete(form.get('token'));
    this.did.push(isKnown ? 'revoked' : 'revocation');
  }

  #refuse(check, error) {
    this.did.push(check);
    return { error };
  }

  /** Where a person is sent who signed in as `subject`, or did not. */
  signedIn(query, subject) {
    const back = new URL(query.get('redirect_uri'));
    back.searchParams.set('state', query.get('state'));
    if (subject) {
      const code = randomBytes(12).toString('hex');
      this.#codes.set(code, {
        subject,
        nonce: query.get('nonce'),
        challenge: query.get('code_challenge'),
        back: query.get('redirect_uri'),
      });
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', 'access_denied');
    }
    return back.href;
  }

  keys() {
    return { keys: [{ ...this.#key.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] };
  }

  metadata() {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      end_session_endpoint: `${issuer}/end`,
      revocation_endpoint: `${issuer}/revoke`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }
}

/** The page on which people sign in. */
function pageOf(query) {
  const asked = query.toString().replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,"><form action="/signed-in">
    <input type="hidden" name="asked" value="${asked}"><label>Name <input name="name"></label>
    <button>Continue</button><button name="cancel" value="1">Cancel</button></form>`;
}

async function bodyOf(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
}

async function respond(provider, request, response) {
  const { pathname, searchParams } = new URL(request.url, provider.issuer);
  const json = (value, status = 200) => {
    // Any page may ask, as the registered origins of a client may.
    response.writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
    response.end(JSON.stringify(value));
  };
  const redirect = (location) => response.writeHead(302, { location }).end();
  if (pathname === '/keys') return json(provider.keys());
  if (provider.down) return json({}, 503);
  if (pathname === '/.well-known/openid-configuration') return json(provider.metadata());
  if (pathname === '/authorize') {
    if (searchParams.get('code_challenge_method') !== 'S256' || searchParams.get('client_id') !== CLIENT) return response.writeHead(400).end();
    return response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf(searchParams));
  }
  if (pathname === '/signed-in') {
    const name = searchParams.has('cancel') ? null : searchParams.get('name');
    return redirect(provider.signedIn(new URLSearchParams(searchParams.get('asked')), name));
  }
  if (pathname === '/token') {
    const granted = provider.grant(await bodyOf(request));
    return json(granted, granted.error ? 400 : 200);
  }
  if (pathname === '/revoke') {
    provider.revoke(await bodyOf(request));
    return json({});
  }
  if (pathname === '/end') {
    provider.did.push('ended');
    return redirect(searchParams.get('post_logout_redirect_uri'));
  }
  return response.writeHead(404).end();
}

/** Calls `use` with a provider that runs meanwhile. */
export async function withProvider(use) {
  let provider;
  const listening = createServer((request, response) => void respond(provider, request, response));
  await new Promise((resolve) => listening.listen(0, '127.0.0.1', resolve));
  provider = new Provider(listening);
  try {
    await use(provider);
  } finally {
    listening.closeAllConnections();
    listening.close();
  }
}

/** Signs in on the provider's page, which the page has sent the person to. */
export async function signInAs(page, provider, name) {
  await page.getByRole('button', { name: `Sign in with ${provider.host}` }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Continue' }).click();
}
