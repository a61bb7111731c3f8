import { defineConfig } from 'vite';

import { page } from '../web-kit/build/page.ts';

/** The modules that the first page and later parts share. */
const SHARED = /\/(?:graph-runs\/src|web-kit)\/(?:api|ui)\/|\/src\/route\.ts|\/node_modules\/(?:preact|rxjs|idb-keyval)\//u;
/** Those of them that only later parts need. */
const LATER = /\/api\/(?:oidc|upload)|\/ui\/(?:csv|drafts|MenuFailed|SignIn)/u;

export default defineConfig(
  page({
    base: '/graph-runs/',
    // The files are at signed addresses beside the API.
    asks: ['/graph-runs/graphql', '/graph-runs/files'],
    stores: true,
    shares: (module) => SHARED.test(module) && !LATER.test(module),
  }),
);
