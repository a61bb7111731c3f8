// Closing a poll, opening it again, a further option, and the people who are invited.

import { useState } from 'react';

import type { Poll } from '../api/data';
import { graphql } from '../gql';
import { useChange } from './useChange';
import { Invitations } from './Invitations';

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

export function PollSettings({ poll }: { poll: Poll }) {
  const { shortId, isClosed, isExpired } = poll;
  const { busy, change } = useChange(shortId);
  const [option, setOption] = useState('');
  return (
    <>
      <section aria-labelledby="closing-title">
        <h3 id="closing-title">Voting</h3>
        {isClosed ? (
          <button
            type="button"
            className="button"
            disabled={busy || isExpired}
            onClick={() => void change(Update, { input: { shortId, closesAt: null } }, 'The poll is open again')}
          >
            Open the poll again
          </button>
        ) : (
          <button
            type="button"
            className="button primary"
            disabled={busy}
            onClick={() => void change(Close, { input: { shortId } }, 'The poll is closed')}
          >
            Close the poll
          </button>
        )}
      </section>
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
      {poll.invitedOnly && <Invitations shortId={shortId} />}
    </>
  );
}
