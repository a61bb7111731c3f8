import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** What no page loads by itself. */
const UNASKED = /\.(?:br|gz|map)$/u;
/** A font that few pages need is stored when it is. */
const RARE = /latin-ext/u;

/** The hash of a file's contents, as browsers compare it (Subresource Integrity). */
function integrityOf(content: string | Uint8Array): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

/** Writes the page's service worker, `worker.js`, with the names of what was built. */
export function worker(base: string): Plugin {
  let hashes: Readonly<Record<string, string>> = {};
  return {
    name: 'worker',
    apply: 'build',
    // After all others: Vite takes chunks out that held nothing but styles. A file that is not there keeps the worker from being
    // installed.
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.values(bundle);
        const entry = files.find((file) => file.type === 'chunk' && file.isEntry)?.fileName;
        if (!entry) throw new Error('the page has no entry');
        const assets = files
          .filter(({ fileName }) => fileName.startsWith('assets/') && !UNASKED.test(fileName))
          .map((file) => [file.fileName.slice('assets/'.length), integrityOf(file.type === 'chunk' ? file.code : file.source)] as const);
        hashes = Object.fromEntries(assets);
        const names = Object.keys(hashes).filter((name) => !RARE.test(name)).toSorted();
        const release = createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16);
        const values = { BASE: base, ENTRY: entry, FILES: names, HASHES: hashes, RELEASE: release };
        const constants = Object.entries(values).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
        const source = readFileSync(join(import.meta.dirname, 'worker.js'), 'utf8');
        this.emitFile({ type: 'asset', fileName: 'worker.js', source: constants.join('') + source });
      },
    },
    writeBundle({ dir = 'dist' }) {
      const isThere = ([name, hash]: readonly [string, string]) => {
        const path = join(dir, 'assets', name);
        return existsSync(path) && integrityOf(readFileSync(path)) === hash;
      };
      const missing = Object.entries(hashes).filter((entry) => !isThere(entry)).map(([name]) => name);
      if (missing.length > 0) throw new Error(`the worker would store what is not there: ${missing.join(', ')}`);
    },
  };
}
