import { defineConfig } from 'vite';

import { compress } from './compress.ts';

// The server serves the built files under this prefix.
const BASE = '/playground/';

// What the bundler says on every build: React's directives for server components mean nothing here, and
// compressing takes most of the time.
const KNOWN = new Set(['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS']);

export default defineConfig({
  base: BASE,
  build: {
    // Nothing becomes a data: URL, so that the content security policy can name 'self' alone.
    assetsInlineLimit: 0,
    // Monaco is one large chunk by nature, loaded after the page's frame.
    chunkSizeWarningLimit: 4000,
    // Every browser that runs Monaco preloads modules by itself.
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: {
      onLog(level, log, report) {
        if (!KNOWN.has(log.code ?? '')) report(level, log);
      },
    },
  },
  plugins: [compress()],
  worker: { format: 'es' },
});
