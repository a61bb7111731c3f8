// That somebody guesses passcodes, and what to do about it.

import { useQuery } from '@apollo/client/react';
import { moment, number } from 'trestle-web-kit/ui/dates';

import { graphql } from '../gql';
import { ShareableRole } from '../gql/graphql';

export const WrongDoc = graphql(`
  fragment Wrong on WrongPasscodes {
    adminCount
    lastAt
    pausedRoles
    viewCount
  }
`);

const WrongQuery = graphql(`
  query WrongPasscodes($shortId: String!) {
    shareable(shortId: $shortId) {
      id
      ... on Checklist {
        wrongPasscodes {
          ...Wrong
        }
      }
      ... on Poll {
        wrongPasscodes {
          ...Wrong
        }
      }
    }
  }
`);

/** A few wrong passcodes are typing errors. */
const MANY = 10;

export function Guesses({ shortId }: { shortId: string }) {
  const { data } = useQuery(WrongQuery, { variables: { shortId }, context: { shareable: shortId }, fetchPolicy: 'no-cache' });
  const { viewCount = 0, adminCount = 0, lastAt, pausedRoles = [] } = data?.shareable?.wrongPasscodes ?? {};
  const count = Math.max(viewCount, adminCount);
  if (count < MANY || !lastAt) return null;
  return (
    <div className="problem" role="note">
      <p>
        Somebody guesses: {number(count)} wrong passcodes within a day, the last one {moment(lastAt)}.
      </p>
      {pausedRoles.includes(ShareableRole.View) && (
        <p>Nobody new can open this by the view passcode at the moment. Make a new one and send its link: it always opens.</p>
      )}
    </div>
  );
}
