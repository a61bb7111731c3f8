// Why a request failed, in words for the person.

import { CombinedGraphQLErrors, type ErrorLike } from '@apollo/client';

import { said } from '../ui/words';

/** What the server says of a request that it refuses, after a colon; what is wrong on the way needs no words. */
export function reasonOf(error: ErrorLike): string {
  return CombinedGraphQLErrors.is(error) ? `: ${said(error.errors[0]?.message ?? '').replace(/\.$/u, '')}` : '';
}
