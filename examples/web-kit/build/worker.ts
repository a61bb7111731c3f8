import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** A font that few pages need is stored when it is. */
const RARE = /latin-ext|\.(?:br|gz|map)$/u;

/** Writes the page's service worker, `worker.js`, with the names of what was built. */
export function worker(base: string): Plugin {
  return {
    name: 'worker',
    apply: 'build',
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const entry = files.find((file) => file.type === 'chunk' && file.isEntry)?.fileName;
      if (!entry) throw new Error('the page has no entry');
      const names = files
        .map(({ fileName }) => fileName)
        .filter((name) => name.startsWith('assets/') && !RARE.test(name))
        .map((name) => name.slice('assets/'.length))
        .toSorted();
      const release = createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16);
      const values = { BASE: base, ENTRY: entry, FILES: names, RELEASE: release };
      const constants = Object.entries(values).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
      const source = readFileSync(join(import.meta.dirname, 'worker.js'), 'utf8');
      this.emitFile({ type: 'asset', fileName: 'worker.js', source: constants.join('') + source });
    },
  };
}
