// A plugin of the code generator: a page asks for nothing that the schema deprecates.

import { concatAST, NoDeprecatedCustomRule, validate as errorsOf } from 'graphql';

export const plugin = () => '';

export function validate(schema, documents) {
  const errors = errorsOf(schema, concatAST(documents.map(({ document }) => document)), [NoDeprecatedCustomRule]);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
}
