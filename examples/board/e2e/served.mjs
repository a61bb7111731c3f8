// A server of a script's own, for what has to be in its store before it starts.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from './harness.mjs';

/** Imports the records with the real binary, connects to a server that has them, and calls `use`. */
export function withRecords(binary, records, use) {
  return withServer(binary, use, records);
}

/** The same for a store that may be empty; `use` gets functions that end the server as a crash does, and start it again. */
export async function withServer(binary, use, records = []) {
  const folder = await mkdtemp(join(tmpdir(), 'trestle-board-'));
  const data = join(folder, 'data');
  const file = join(folder, 'records.ndjson');
  // What the developer's own shell configures must not reach the binary.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TRESTLE_'));
  const env = Object.fromEntries(own);
  let server;
  let address = '127.0.0.1:0';

  async function start() {
    server = spawn(binary, ['serve', '--data', data, '--board', '--listen', address], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const url = await urlOf(server);
    address = new URL(url).host;
    connect(url);
  }

  async function stop() {
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  }

  // A script that gives up leaves no server behind.
  process.once('exit', () => server?.kill('SIGKILL'));
  try {
    await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    execFileSync(binary, ['import', file, '--data', data], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    await start();
    await use({ start, stop });
  } finally {
    await stop();
    await rm(folder, { recursive: true });
  }
}

/** The URL that the server names when it listens. */
async function urlOf(server) {
  for await (const line of createInterface({ input: server.stdout })) {
    const [url] = line.match(/http:\/\/\S+\/graphql/u) ?? [];
    if (url) {
      server.stdout.resume();
      return url;
    }
  }
  throw new Error('the server ended before it listened');
}
