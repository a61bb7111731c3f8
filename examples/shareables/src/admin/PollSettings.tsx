// Closing a poll, opening it again, a further option, and the people who are invited.

import { useState } from 'react';

import type { Poll } from '../api/data';
import { graphql } from '../gql';
import { Corrections } from './Corrections';
import { Invitations } from './Invitations';
import { useChange } from './useChange';

const Close = graphql(`
  mutation ClosePoll($input: ClosePollInput!) {
    closePoll(input: $input) {
      poll {
        ...PollHead
      }
      userErrors {
        message
      }
    }
  }
`);

const Update = graphql(`
  mutation UpdatePoll($input: UpdatePollInput!) {
    updatePoll(input: $input) {
      poll {
        ...PollHead
      }
      userErrors {
        message
      }
    }
  }
`);

const AddOption = graphql(`
  mutation AddOption($input: AddPollOptionInput!) {
    addPollOption(input: $input) {
      option {
        ...Option
      }
      userErrors {
        message
      }
    }
  }
`);

const SHOWS =
  'Close the poll? Everybody who can open it sees its results then, and who voted for what if names are shown. They stay shown if you open the poll again.';

export function PollSettings({ poll }: { poll: Poll }) {
  const { shortId, isClosed, isExpired, hidesResults } = poll;
  const { busy, change } = useChange(shortId);
  const [option, setOption] = useState('');
  return (
    <>
      <section aria-labelledby="closing-title">
        <h3 id="closing-title">Voting</h3>
        {isClosed ? (
          <>
            <p className="quiet">Everybody can vote again then. The results that are shown now stay shown.</p>
            <button
              type="button"
              className="button"
              disabled={busy || isExpired}
              onClick={() =>
                void change(Update, { input: { shortId, closesAt: null } }, 'The poll is open again. Its results stay shown')
              }
            >
              Open the poll again
            </button>
          </>
        ) : (
          <>
            {hidesResults && <p className="quiet">Closing the poll shows its results to everybody, for good.</p>}
            <button
              type="button"
              className="button primary"
              disabled={busy}
              onClick={() => {
                // What was seen cannot be hidden again.
                if (hidesResults && !window.confirm(SHOWS)) return;
                void change(Close, { input: { shortId } }, hidesResults ? 'The poll is closed, and its results are shown' : 'The poll is closed');
              }}
            >
              Close the poll
            </button>
          </>
        )}
      </section>
      {!isExpired && <Corrections poll={poll} />}
      {!isClosed && (
        <section aria-labelledby="option-title">
          <h3 id="option-title">Another option</h3>
          <form
            className="form inline"
            onSubmit={(event) => {
              event.preventDefault();
              const input = { shortId, text: option.trim() };
              void change(AddOption, { input }, `“${input.text}” is added`).then((made) => made && setOption(''));
            }}
          >
            <label>
              <span>Option</span>
              <input value={option} required maxLength={200} onInput={({ currentTarget }) => setOption(currentTarget.value)} />
            </label>
            <button className="button" disabled={busy || option.trim() === ''}>
              Add
            </button>
          </form>
        </section>
      )}
      {poll.invitedOnly && <Invitations shortId={shortId} name={poll.name} />}
    </>
  );
}
