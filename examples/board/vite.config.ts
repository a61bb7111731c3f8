import { readFileSync } from 'node:fs';

import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

import { compress } from './compress.ts';
import { inlineDocuments } from './documents.ts';

/** The server whose API the page uses while it is developed or previewed. */
const SERVER = 'http://127.0.0.1:8000';

const proxy = { '/graphql': { target: SERVER, ws: true } };

/** Puts the documents that the page sends beside it, for the server to trust. */
const documents: Plugin = {
  name: 'persisted-documents',
  apply: 'build',
  generateBundle() {
    const source = readFileSync('src/gql/persisted-documents.json');
    this.emitFile({ type: 'asset', fileName: 'persisted-documents.json', source });
  },
};

/** The modules that the first page and later parts share. */
const SHARED = /\/src\/(?:api|ui)\/|\/src\/route\.ts|\/node_modules\/(?:preact|rxjs|idb-keyval)\//u;
/** Those of them that only later parts need. */
const LATER = /\/src\/api\/whole|\/src\/ui\/(?:amounts|csv|drafts|ics|links)/u;

export default defineConfig({
  // The server serves the built files under this prefix.
  base: '/board/',
  // Preact in place of React, which is twice as large as everything else of the first page. To use React, delete this.
  resolve: {
    alias: {
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react-dom/client': 'preact/compat/client',
      'react-dom': 'preact/compat',
      react: 'preact/compat',
    },
  },
  build: {
    // Nothing becomes a data: URL, so that the content security policy can name 'self' alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: {
      output: {
        // What the first page loads anyway is one file, which compresses better than a dozen.
        codeSplitting: {
          groups: [{ name: 'shared', test: (id: string) => SHARED.test(id) && !LATER.test(id) }],
        },
      },
    },
  },
  plugins: [inlineDocuments(), react(), documents, compress()],
  server: { proxy },
  preview: { proxy },
});
