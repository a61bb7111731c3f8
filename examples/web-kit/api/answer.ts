// Which answers are the server's. Between it and the page others answer too: a proxy whose server is gone, a CDN, the sign-in page
// of a network, with any status and any media type. Their answers say nothing of what was sent: the server was not reached.

/** The header by which the server marks its answers, with the marks of those to GraphQL requests and of those about files. */
const HEADER = 'x-trestle-answer';
const GRAPHQL = 'graphql';
const FILE = 'file';

/** The media types of GraphQL over HTTP. */
const JSON_TYPE = /^application\/(?:graphql-response\+)?json\s*(?:;|$)/iu;

/** No answer of the server arrived. What was sent may have arrived there, or not. */
export class NotReached extends Error {
  override readonly name = 'NotReached';
  constructor(cause?: unknown) {
    super('The server does not answer.', { cause });
  }
}

/** An error as the server writes it. */
interface Coded {
  readonly extensions?: { readonly code?: unknown; readonly retryAfter?: unknown };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isCoded(error: unknown): boolean {
  return isRecord(error) && isRecord(error['extensions']) && typeof error['extensions']['code'] === 'string';
}

/** Whether an answer with this body is the server's to a GraphQL request: marked, and whole. Its status does not matter. */
export function isOurs({ headers, redirected }: Pick<Response, 'headers' | 'redirected'>, body: string): boolean {
  if (headers.get(HEADER) !== GRAPHQL || redirected || !JSON_TYPE.test(headers.get('content-type') ?? '')) return false;
  const result = parsed(body);
  if (!isRecord(result)) return false;
  const { data = null, errors = [] } = result;
  // Errors without a code are those of some other GraphQL server, or of a gateway before this one.
  if (!Array.isArray(errors) || !errors.every(isCoded)) return false;
  return isRecord(data) || (data === null && errors.length > 0);
}

/** What is seen of the answer to an upload. */
interface Uploaded {
  readonly status: number;
  readonly body: string;
  readonly header: (name: string) => string | null;
}

/** Whether an answer to an upload is from the place for files: the server's own place, or an object store, which knows no mark. */
export function isOfPlace({ status, body, header }: Uploaded, isOwn: boolean): boolean {
  if (isOwn) return header(HEADER) === FILE;
  // Object stores say nothing of what they took, and refuse in XML.
  return status < 300 ? body === '' : /^(?:<\?xml[^>]*>)?\s*<Error>/u.test(body);
}

/** Whether an answer at one of the server's own places for files is its own. */
export function isOwnFile({ headers, redirected }: Pick<Response, 'headers' | 'redirected'>): boolean {
  return headers.get(HEADER) === FILE && !redirected;
}

/**
 * When the page was opened, by the server's clock, in milliseconds: up to two seconds and the way of an answer too early, never too
 * late. `NaN` if the server does not say the time.
 */
export let opened: number | undefined;

/** `fetch` of the API: answers with what is the server's, and rejects with `NotReached` otherwise. */
export async function ask(address: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  let response: Response;
  let body: string;
  try {
    // What is signed is for this server, and for none that it is sent on to.
    response = await fetch(address, { ...init, redirect: 'error' });
    body = await response.text();
  } catch (error) {
    throw init?.signal?.aborted ? error : new NotReached(error);
  }
  if (!isOurs(response, body)) throw new NotReached();
  // No clock of a browser is right.
  opened ??= Date.parse(response.headers.get('date') ?? '') - performance.now();
  return new Response(body, response);
}

/** After how many milliseconds the server takes again what it did not begin; `null` if these errors do not say so. */
export function retryAfter(errors: readonly Coded[]): number | null {
  const waits = errors.flatMap(({ extensions }) => (typeof extensions?.retryAfter === 'number' ? [extensions.retryAfter] : []));
  return waits.length > 0 ? Math.max(...waits) * 1000 : null;
}

/** Whether the server does not know what it did: what can be sent twice without harm is sent again. */
export function isUnknown(errors: readonly Coded[]): boolean {
  return errors.some(({ extensions }) => extensions?.code === 'OUTCOME_UNKNOWN');
}
