// Opening shareables: by passcode, by personal link, and again by what this browser has of earlier times.

import { graphql } from '../gql';
import type { OpenMutation, OpenShareableInput } from '../gql/graphql';
import { ShareableKind, ShareableRole } from '../gql/graphql';
import { plain } from '../ui/plain';
import { client, isUnauthenticated } from './client';
import { forget, keepOwnName, known, note, ownName, voterId } from './known';
import { forgetToken, keepToken, renewBy } from './session';

const Open = graphql(`
  mutation Open($input: OpenShareableInput!) {
    openShareable(input: $input) {
      refreshToken {
        refreshToken
      }
      token {
        token
        expiresAt
        kind
        role
        shortId
        voterName
        deviceId
      }
      shareable {
        id
        name
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const OpenInvitation = graphql(`
  mutation OpenInvitation($input: OpenInvitationInput!) {
    openInvitation(input: $input) {
      token {
        token
        expiresAt
        kind
        role
        shortId
        voterName
      }
      shareable {
        id
        name
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const UseRefreshToken = graphql(`
  mutation UseRefreshToken($input: UseRefreshTokenInput!) {
    useRefreshToken(input: $input) {
      refreshToken {
        refreshToken
      }
      token {
        token
        expiresAt
      }
      userErrors {
        message
      }
    }
  }
`);

export const SignOut = graphql(`
  mutation SignOut($input: SignOutInput!) {
    signOut(input: $input) {
      signedOutId
      userErrors {
        message
      }
    }
  }
`);

/** `problem`: why nothing was opened, in words. */
export type Opened = { readonly shortId: string } | { readonly problem: string };

type Opening = NonNullable<OpenMutation['openShareable']>;
type Answer = Omit<Opening, 'refreshToken' | 'token' | '__typename'> & {
  readonly refreshToken?: { readonly refreshToken: string } | null;
  readonly token?: (Omit<NonNullable<Opening['token']>, 'deviceId'> & { readonly deviceId?: string | null }) | null;
};

/** Notes what opens a shareable from now on. */
function take(answer: Answer | null | undefined, more: { viewPasscode?: string; invitation?: string }): Opened {
  const token = answer?.token;
  if (!token || !answer.shareable) return { problem: words(answer?.userErrors) };
  const { shortId, kind, role, voterName } = token;
  const refreshToken = answer.refreshToken?.refreshToken ?? null;
  const { deviceId = null } = token;
  note(shortId, { kind, role, voterName: voterName ?? null, name: answer.shareable.name, refreshToken, deviceId, ...more });
  keepToken(shortId, { token: token.token, expiresAt: token.expiresAt ?? null });
  return { shortId };
}

export function words(userErrors: readonly { readonly message: string }[] | undefined): string {
  return (userErrors ?? []).map(({ message }) => said(message)).join(' ') || 'The server refuses it.';
}

/** A message of the API in words for people. */
export function said(message: string): string {
  return plain(message);
}

export async function openByPasscode(
  shortId: string,
  passcode: string,
  role: ShareableRole | null,
  name: string = ownName(),
): Promise<Opened> {
  keepOwnName(name);
  const input: OpenShareableInput = {
    shortId,
    passcode,
    staysSignedIn: true,
    voterId: voterId(),
    ...(role && { role }),
    ...(name && { voterName: name }),
  };
  const { data } = await client.mutate({ mutation: Open, variables: { input } });
  const answer = data?.openShareable;
  const isView = answer?.token?.role === ShareableRole.View;
  return take(answer, isView ? { viewPasscode: passcode } : {});
}

export async function openByInvitation(shortId: string, secret: string): Promise<Opened> {
  const { data } = await client.mutate({ mutation: OpenInvitation, variables: { input: { shortId, secret } } });
  return take(data?.openInvitation, { invitation: secret });
}

/** Opens again what this browser has opened before. */
renewBy(async (one) => {
  if (one.refreshToken && (await openAgain(one.shortId, one.refreshToken))) return true;
  const opened = one.invitation
    ? await openByInvitation(one.shortId, one.invitation)
    : one.viewPasscode && one.role === ShareableRole.View
      ? await openByPasscode(one.shortId, one.viewPasscode, ShareableRole.View)
      : null;
  return opened !== null && 'shortId' in opened;
});

async function openAgain(shortId: string, refreshToken: string): Promise<boolean> {
  try {
    const { data } = await client.mutate({ mutation: UseRefreshToken, variables: { input: { refreshToken } } });
    const answer = data?.useRefreshToken;
    if (answer?.token) {
      note(shortId, { refreshToken: answer.refreshToken?.refreshToken ?? null });
      keepToken(shortId, { token: answer.token.token, expiresAt: answer.token.expiresAt ?? null });
      return true;
    }
  } catch (error) {
    if (!isUnauthenticated(error)) throw error;
  }
  note(shortId, { refreshToken: null });
  return false;
}

/** Signs this browser out of a shareable, as far as the server can be reached, and forgets it. */
export async function leave(shortId: string): Promise<void> {
  const id = known(shortId)?.deviceId;
  try {
    if (id) await client.mutate({ mutation: SignOut, variables: { input: { id } }, context: { shareable: shortId, once: true } });
  } catch {
    // Without the server, the refresh token ends by itself after 30 days.
  }
  forgetToken(shortId);
  forget(shortId);
}

/** Whether the person may do everything with it. */
export function isAdmin(shortId: string): boolean {
  return known(shortId)?.role === ShareableRole.Admin;
}

export const KIND_WORDS: Record<ShareableKind, string> = { CHECKLIST: 'Checklist', POLL: 'Poll' };
