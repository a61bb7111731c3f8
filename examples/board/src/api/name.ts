// The names of operations, by which changes are stored and told apart.

import type { DocumentNode } from 'graphql';

/** The name of the operation in a document. */
export function nameOf(document: DocumentNode): string {
  const operation = document.definitions.find(({ kind }) => kind === 'OperationDefinition');
  return (operation && 'name' in operation && operation.name?.value) || '';
}
