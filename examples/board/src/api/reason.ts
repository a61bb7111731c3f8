// Why a request failed, in words for the person.

import { CombinedGraphQLErrors, type ErrorLike } from '@apollo/client';
import { useCredentialAsked } from 'trestle-web-kit/api/credentials';

import { said } from '../ui/words';

/** What the server says of a request that it refuses, after a colon; what is wrong on the way needs no words. */
export function reasonOf(error: unknown): string {
  return CombinedGraphQLErrors.is(error) ? `: ${said(error.errors[0]?.message ?? '').replace(/\.$/u, '')}` : '';
}

/** What to say of a request that failed, after a colon. Nothing while the person is asked who they are: that says it all. */
export function useReason(error: ErrorLike | undefined): string | null {
  const asked = useCredentialAsked();
  return error && asked === 'no' ? reasonOf(error) : null;
}
