// The bundled playground: it mounts, introspects, runs its example query and shows the answer, with
// no request off the origin and no error on the console.

import assert from 'node:assert/strict';
import { usePlayground } from './browser.mjs';
import { endpoint } from './harness.mjs';

await usePlayground(endpoint(), {
  selectors: {
    editor: '.graphiql-query-editor .monaco-editor',
    line: '.result-window .view-line',
  },
  inspect: async (page) => {
    assert(page.workers().length > 0, 'Monaco runs without its workers');
  },
});
console.log('the playground mounted, introspected and ran its example query');
