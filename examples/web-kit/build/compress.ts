import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller files gain nothing that is worth a header. */
const SMALLEST = 1024;

/**
 * Writes a `.br` and a `.gz` beside every larger built file but the page, so that whoever serves them
 * need not compress them each time.
 */
export function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    writeBundle(options, bundle) {
      for (const name of Object.keys(bundle)) {
        const file = join(options.dir ?? 'dist', name);
        const content = readFileSync(file);
        if (/\.(html|woff2)$/u.test(name) || content.length < SMALLEST) continue;
        const text = { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params: text }));
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}
