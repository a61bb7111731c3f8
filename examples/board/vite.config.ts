import { defineConfig } from 'vite';

import { page } from '../web-kit/build/page.ts';

/** The modules that the first page and later parts share. */
const SHARED = /\/(?:board\/src|web-kit)\/(?:api|ui)\/|\/src\/route\.ts|\/node_modules\/(?:preact|rxjs|idb-keyval)\//u;
/** Those of them that only later parts need. */
const LATER = /\/api\/(?:live|meanwhile|oidc|readAgain|socket|upload|whole)|\/ui\/(?:amounts|csv|drafts|links|MenuFailed|posting|printTable|SignIn|sorting|Sure|tagLine)/u;

export default defineConfig(
  page({
    base: '/board/',
    asks: ['/graphql'],
    shares: (module) => SHARED.test(module) && !LATER.test(module),
    stores: true,
  }),
);
