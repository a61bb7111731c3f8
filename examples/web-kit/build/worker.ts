import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** A font that few pages need is stored when it is. */
const RARE = /latin-ext|\.(?:br|gz|map)$/u;

/** Writes the page's service worker, `worker.js`, with the names of what was built. */
export function worker(base: string): Plugin {
  let listed: readonly string[] = [];
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
        const names = files
          .map(({ fileName }) => fileName)
          .filter((name) => name.startsWith('assets/') && !RARE.test(name))
          .map((name) => name.slice('assets/'.length))
          .toSorted();
        listed = names;
        const release = createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16);
        const values = { BASE: base, ENTRY: entry, FILES: names, RELEASE: release };
        const constants = Object.entries(values).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
        const source = readFileSync(join(import.meta.dirname, 'worker.js'), 'utf8');
        this.emitFile({ type: 'asset', fileName: 'worker.js', source: constants.join('') + source });
      },
    },
    writeBundle({ dir = 'dist' }) {
      const missing = listed.filter((name) => !existsSync(join(dir, 'assets', name)));
      if (missing.length > 0) throw new Error(`the worker would store what is not there: ${missing.join(', ')}`);
    },
  };
}
