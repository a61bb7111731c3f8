// A server of a script's own, which can be ended as a crash does, and started again.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from './browser.mjs';

/** What the developer's own shell configures must not reach the binary. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TRESTLE_')));

/**
 * Starts the binary with these flags of `serve`, on a store that `fill` gets first, connects to it, and calls `use` with
 * functions that stop the server and start it again.
 */
export async function withServer(binary, flags, use, fill = () => {}) {
  const folder = await mkdtemp(join(tmpdir(), 'trestle-page-'));
  const data = join(folder, 'data');
  let server;
  let address = '127.0.0.1:0';

  async function start() {
    // As the tests give it: a machine that is busy with other tests takes long for what is hashed slowly on purpose.
    const place = flags.includes('--demo') ? [] : ['--data', data];
    server = spawn(binary, ['serve', ...place, '--request-timeout', '60s', ...flags, '--listen', address], {
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
    await fill({ folder, data, env });
    await start();
    await use({ start, stop });
  } finally {
    if (server) await stop();
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
