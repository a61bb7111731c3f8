import type { CodegenConfig } from '@graphql-codegen/cli';
import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';

/**
 * Types come from the repository's SDL, so that a change of the schema that a page cannot take is a failed compilation.
 * `persisted-documents.json` holds every document that the page sends: a server that is given it
 * (`--trusted-documents`) needs no other.
 * A page `masks` its data if its components read fragments of their own.
 */
export function codegen(schema: string, masks: boolean): CodegenConfig {
  return {
    schema,
    documents: ['src/**/*.{ts,tsx}', '!src/gql/**'],
    generates: {
      'src/gql/': {
        preset: 'client',
        presetConfig: {
          // Apollo Client masks by itself: a component reads its own fragment and nothing else.
          fragmentMasking: false,
          persistedDocuments: { mode: 'embedHashInDocument', hashAlgorithm: 'sha256' },
        },
        documentTransforms: [addTypenameSelectionDocumentTransform],
        config: {
          inlineFragmentTypes: masks ? 'mask' : 'inline',
          enumType: 'const',
          scalars: { Date: 'string', DateTime: 'string', OffsetDateTime: 'string', SafeInt: 'number', URL: 'string', UUID: 'string' },
          strictScalars: true,
          useTypeImports: true,
        },
        // A rule of this repository, which generates nothing.
        plugins: [new URL('current.js', import.meta.url).pathname],
      },
    },
  };
}
