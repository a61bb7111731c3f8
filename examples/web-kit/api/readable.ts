// Values that another program stored and that do not fit the schema: the API answers `null` in their place, with an error
// for each. Such an error is no reason to throw away everything else that was answered.

import { ApolloLink } from '@apollo/client';
import type { GraphQLFormattedError } from 'graphql';
import { map } from 'rxjs';

/** Takes the errors of single values out of each result. What is missing as a whole remains an error. */
export const readable = new ApolloLink((operation, forward) =>
  forward(operation).pipe(
    map((result) => {
      const { errors, ...rest } = result as ApolloLink.Result;
      if (!errors || !rest.data) return result;
      const others = errors.filter((error) => !isOfValue(error));
      return others.length > 0 ? { ...rest, errors: others } : rest;
    }),
  ),
);

function isOfValue({ extensions, path = [] }: GraphQLFormattedError): boolean {
  return extensions?.['code'] === 'UNREADABLE' && path.length > 1;
}
