import { defineConfig } from 'vite';

import { page } from '../web-kit/build/page.ts';

/** The modules that the first page and later parts share. */
const SHARED = /\/(?:shareables\/src|web-kit)\/(?:api|ui)\/|\/src\/route\.ts|\/node_modules\/(?:preact|rxjs|idb-keyval)\//u;
/** Those of them that only later parts need. */
const LATER = /\/api\/oidc|\/ui\/(?:csv|drafts|MenuFailed|SignIn|SignOut|sorting)/u;

export default defineConfig(
  page({
    base: '/shareables/',
    asks: ['/shareables/graphql'],
    stores: true,
    shares: (module) => SHARED.test(module) && !LATER.test(module),
  }),
);
