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
  },
  plugins: [inlineDocuments(), react(), documents, compress()],
  server: { proxy },
  preview: { proxy },
});
