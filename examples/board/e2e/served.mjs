// A server of a script's own, for what has to be in its store before it starts.

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withServer as withServerOf } from 'trestle-web-kit/e2e/served.mjs';

/** Imports the records with the real binary, connects to a server that has them, and calls `use`. */
export function withRecords(binary, records, use) {
  return withServer(binary, use, records);
}

/** The same for a store that may be empty; `use` gets functions that end the server as a crash does, and start it again. */
export function withServer(binary, use, records = []) {
  return withServerOf(binary, [], use, async ({ folder, data, env }) => {
    const file = join(folder, 'records.ndjson');
    await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    execFileSync(binary, ['import', file, '--keep-unreadable', '--data', data], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  });
}
