// Which answers are taken for the server's: every status with everything that others and the server answer with.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { runnerImport } from 'vite';
import { answer, OWN, STATUSES, STRANGERS } from './strangers.mjs';

const { module } = await runnerImport(new URL('../api/answer.ts', import.meta.url).pathname);
const { ask, isOfPlace, isUnknown, NotReached, retryAfter } = module;

const KINDS = [...OWN, ...STRANGERS];
/** Those that lead elsewhere, also where they name no place, and those that have no body. */
const MOVED = new Set([301, 302, 303, 307, 308]);
const EMPTY = new Set([204, 205, 304]);
/** A proxy wants to know who asks, or it is another server that answers: `fetch` fails. */
const ELSEWHERE = new Set([407, 421]);
const AT_ONCE = 32;

const server = createServer((request, response) => {
  const asked = new URL(request.url, 'http://127.0.0.1').searchParams;
  const status = Number(asked.get('status'));
  if (asked.has('to')) response.setHeader('location', asked.get('to'));
  answer(response, status, KINDS[Number(asked.get('kind'))]);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${server.address().port}/`;

/** Whether an answer was taken for the server's. */
async function isTaken(query) {
  try {
    const response = await ask(`${base}?${new URLSearchParams(query)}`, { method: 'POST', body: '{}' });
    assert(typeof (await response.json()) === 'object');
    return true;
  } catch (error) {
    assert(error instanceof NotReached, `${JSON.stringify(query)}: ${error.stack}`);
    return false;
  }
}

try {
  const cases = KINDS.flatMap((_, kind) => STATUSES.map((status) => ({ kind, status })));
  // A redirect to an answer of the server is none of it: what was sent has not arrived there.
  for (const status of MOVED) cases.push({ kind: 0, status, to: `${base}?kind=0&status=200` });
  const wrong = [];
  async function work() {
    for (let one = cases.pop(); one; one = cases.pop()) {
      const { kind, status } = one;
      const expected = kind < OWN.length && !MOVED.has(status) && !EMPTY.has(status) && !ELSEWHERE.has(status);
      if ((await isTaken(one)) !== expected) wrong.push(`${status} ${KINDS[kind].name}: ${expected ? 'not ' : ''}taken`);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  assert.deepEqual(wrong, []);
} finally {
  server.closeAllConnections();
  server.close();
}

// Nobody listens any more.
assert.equal(await isTaken({ kind: 0, status: 200 }), false);

// What the server has not begun, and what it does not know.
const error = (code, more) => ({ message: '', extensions: { code, ...more } });
assert.equal(retryAfter([error('FORBIDDEN')]), null);
assert.equal(retryAfter([error('RATE_LIMITED', { retryAfter: 2 }), error('SERVICE_UNAVAILABLE', { retryAfter: 1 })]), 2000);
assert.equal(isUnknown([error('OUTCOME_UNKNOWN')]), true);
assert.equal(isUnknown([error('INTERNAL_SERVER_ERROR')]), false);

// Where files are put: the server's own place marks what it answers, and an object store has a way of its own.
const REFUSAL = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>';
for (const status of STATUSES) {
  for (const { headers, body } of KINDS) {
    const header = (name) => headers[name] ?? null;
    assert.equal(isOfPlace({ status, body, header }, true), header('x-trestle-answer') === 'file');
    const isOfStore = isOfPlace({ status, body, header }, false);
    assert.equal(isOfStore, status < 300 && body === '', `${status} ${body}`);
  }
  assert.equal(isOfPlace({ status, body: REFUSAL, header: () => null }, false), status >= 300);
}
