import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const IMPORT = /^import \{ graphql \} from '[./]*gql';\n/mu;
const CALL = /\bgraphql\(`\s*(query|mutation|subscription|fragment)\s+(\w+)[^`]*`\)/gu;

/**
 * Replaces each `graphql(...)` call by the document that the code generator made of it, so that a document is loaded with
 * the component that sends it. The generated map would bring every document, twice, with the first page.
 */
export function inlineDocuments(): Plugin {
  return {
    name: 'inline-documents',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/src\/.*\.tsx?$/u.test(id) || id.includes('/src/gql/')) return undefined;
      const generated = readFileSync('src/gql/graphql.ts', 'utf8');
      return code.replace(IMPORT, '').replace(CALL, (_, kind: string, name: string) => {
        const constant = `${name}${kind === 'fragment' ? 'FragmentDoc' : 'Document'}`;
        const [, document] =
          new RegExp(`export const ${constant} = (\\{.*\\}) as unknown as`, 'u').exec(generated) ?? [];
        if (!document) throw new Error(`src/gql/graphql.ts has no ${constant}: run npm run generate`);
        return `(${document})`;
      });
    },
  };
}
