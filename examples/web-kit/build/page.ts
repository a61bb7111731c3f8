import { readFileSync } from 'node:fs';

import react from '@vitejs/plugin-react';
import type { Plugin, UserConfig } from 'vite';

import { compress } from './compress.ts';
import { inlineDocuments } from './documents.ts';
import { worker } from './worker.ts';

/** The server whose API a page uses while it is developed or previewed. */
const SERVER = process.env['TRESTLE_SERVER'] ?? 'http://127.0.0.1:8000';

/** Puts the documents that the page sends beside it, for the server to trust. */
const documents: Plugin = {
  name: 'persisted-documents',
  apply: 'build',
  generateBundle() {
    const source = readFileSync('src/gql/persisted-documents.json');
    this.emitFile({ type: 'asset', fileName: 'persisted-documents.json', source });
  },
};

/** What differs between pages. */
export interface Page {
  /** The path under which a server serves the built files: `/board/`. */
  readonly base: string;
  /** The paths that the page asks its server for. */
  readonly asks: readonly string[];
  /** Whether the first page and later parts share a module. */
  readonly shares: (module: string) => boolean;
  /** Whether it has a service worker, which `api/worker.ts` registers. Its server answers `worker.js` then. */
  readonly stores?: boolean;
}

/** The configuration of Vite for a page. */
export function page({ base, asks, shares, stores = false }: Page): UserConfig {
  const proxy = Object.fromEntries(asks.map((path) => [path, { target: SERVER, ws: true }]));
  // The page's icon is shown in the page as well: as a part of it, it is loaded once.
  const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync('public/icon.svg', 'utf8'))}`;
  return {
    base,
    define: { 'import.meta.env.ICON': JSON.stringify(icon) },
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
          codeSplitting: { groups: [{ name: 'shared', test: shares }] },
        },
      },
    },
    plugins: [inlineDocuments(), react(), documents, stores && worker(base), compress()],
    server: { proxy },
    preview: { proxy },
  };
}
