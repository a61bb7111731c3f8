// Who voted for what, as far as it is shown; the admin can remove a vote.

import { useMutation } from '@apollo/client/react';
import { number } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { type Option, type Poll, sorted } from '../api/data';
import { words } from '../api/opening';
import { graphql } from '../gql';
import { Icon } from '../ui/icons';
import { optionText } from './Poll';

const RemoveVote = graphql(`
  mutation RemoveVote($input: RemoveVoteInput!) {
    removeVote(input: $input) {
      deletedId
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
  const best = bestOf(options);
  return (
    <section className="panel" aria-labelledby="votes-title">
      <h2 id="votes-title">Votes</h2>
      <div className="matrix-frame" tabIndex={0} role="group" aria-label="Who voted for what">
        <table className="matrix">
          <thead>
            <tr>
              <th scope="col">Name</th>
              {options.map((option) => (
                <th scope="col" key={option.id} className={best.has(option.id) ? 'best' : undefined}>
                  <span dir="auto">{optionText(option, poll)}</span>
                  {best.has(option.id) && <span className="chip">best</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {votes.map((vote) => (
              <tr key={vote.id}>
                <th scope="row">
                  <b dir="auto">{vote.voterName ?? 'Somebody'}</b>
                  {vote.noneSuits && <span className="quiet"> none of these</span>}
                  {vote.comment && <span className="quiet vote-comment" dir="auto">{vote.comment}</span>}
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
                </th>
                {options.map(({ id }) => (
                  <td key={id} className={best.has(id) ? 'best' : undefined}>
                    <Choice sure={vote.optionIds.includes(id)} maybe={vote.maybeOptionIds.includes(id)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {poll.voterCount > SHOWN && (
        <p className="quiet">
          These are {SHOWN} of {number(poll.voterCount)}: an export has all.
        </p>
      )}
    </section>
  );
}

/** What somebody says to an option: a sign, and the word for it. */
function Choice({ sure, maybe }: { sure: boolean; maybe: boolean }) {
  const [sign, word] = sure ? ['✓', 'yes'] : maybe ? ['(✓)', 'if need be'] : ['–', 'no'];
  return (
    <>
      <span aria-hidden>{sign}</span>
      <span className="visually-hidden">{word}</span>
    </>
  );
}

/** The options that suit most people: by sure votes, then by those if need be. None if nobody has voted for any. */
function bestOf(options: readonly Option[]): ReadonlySet<string> {
  const weight = ({ voteCount, maybeCount }: Option) => (voteCount ?? 0) * 100_000 + (maybeCount ?? 0);
  const most = Math.max(0, ...options.map(weight));
  return new Set(options.filter((option) => most > 0 && weight(option) === most).map(({ id }) => id));
}
