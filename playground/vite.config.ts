import { defineConfig } from 'vite';

// The server serves the built files under this prefix.
const BASE = '/playground/';

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
      // React's directives for server components mean nothing here, and there are hundreds.
      onLog(level, log, report) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
  worker: { format: 'es' },
});
