// Who voted for what, as far as it is shown; the admin can remove a vote.

import { useMutation } from '@apollo/client/react';
import { number } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { type Poll, sorted } from '../api/data';
import { words } from '../api/opening';
import { graphql } from '../gql';
import { Icon } from '../ui/icons';
import { optionText } from './Poll';

const RemoveVote = graphql(`
  mutation RemoveVote($input: RemoveVoteInput!) {
    removeVote(input: $input) {
      removedId
      userErrors {
        message
      }
    }
  }
`);

/** Votes that the page shows; an export has all. */
const SHOWN = 100;

export function Votes({ poll, admin }: { poll: Poll; admin: boolean }) {
  const notices = useNotices();
  const [remove] = useMutation(RemoveVote, { context: { shareable: poll.shortId }, refetchQueries: ['Shareable'] });
  const votes = (poll.votes?.edges ?? []).flatMap(({ node }) => (node ? [node] : []));
  if (votes.length === 0) return null;
  const options = sorted(poll.options);
  const named = (ids: readonly string[]) => options.filter(({ id }) => ids.includes(id)).map(optionText).join(', ');
  return (
    <section className="panel" aria-labelledby="votes-title">
      <h2 id="votes-title">Votes</h2>
      <ul className="votes">
        {votes.map((vote) => (
          <li key={vote.id}>
            <span className="grow">
              <b dir="auto">{vote.voterName ?? 'Somebody'}</b>{' '}
              <span>{named(vote.optionIds) || 'none of these'}</span>
              {vote.maybeOptionIds.length > 0 && <span className="quiet">, if need be {named(vote.maybeOptionIds)}</span>}
              {vote.comment && <span className="quiet vote-comment" dir="auto">{vote.comment}</span>}
            </span>
            {admin && (
              <button
                type="button"
                className="bare"
                aria-label={`Remove the vote of ${vote.voterName ?? 'somebody'}`}
                onClick={() => {
                  if (!window.confirm(`Remove the vote of ${vote.voterName ?? 'somebody'}?`)) return;
                  remove({ variables: { input: { id: vote.id } } }).then(
                    ({ data }) => {
                      const problems = data?.removeVote?.userErrors ?? [];
                      if (problems.length > 0) notices.warn(words(problems));
                      else notices.say('The vote is removed');
                    },
                    () => notices.warn('The vote could not be removed.'),
                  );
                }}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {poll.voterCount > SHOWN && (
        <p className="quiet">
          These are {SHOWN} of {number(poll.voterCount)}: an export has all.
        </p>
      )}
    </section>
  );
}
