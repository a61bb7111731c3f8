// GraphQL over HTTP: every audit of graphql-http, the MUSTs, the SHOULDs and the MAYs.

import assert from 'node:assert/strict';
import { serverAudits } from 'graphql-http';
import { endpoint } from './harness.mjs';

/** How many audits the pinned version has: none may go missing unseen. */
const EXPECTED = 61;

const audits = serverAudits({ url: endpoint() });
assert.equal(audits.length, EXPECTED, 'the number of audits changed');

let failures = 0;
for (const audit of audits) {
  const result = await audit.fn();
  if (result.status !== 'ok') {
    failures += 1;
    console.error(`${result.status}: ${result.id} ${result.name}: ${result.reason}`);
  }
}
console.log(`${EXPECTED - failures} of ${EXPECTED} audits passed`);
process.exitCode = failures === 0 ? 0 : 1;
