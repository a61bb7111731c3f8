// Corrections of a poll: its question, its zone, how people vote, and its options. Whoever has voted sees that it was corrected.

import { useState } from 'react';
import { number } from 'trestle-web-kit/ui/dates';

import { type Option, type Poll, sorted } from '../api/data';
import { graphql } from '../gql';
import { optionText } from '../poll/Poll';
import { useChange } from './useChange';

const Correct = graphql(`
  mutation CorrectPoll($input: UpdatePollInput!) {
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

const CorrectOption = graphql(`
  mutation CorrectOption($input: UpdatePollOptionInput!) {
    updatePollOption(input: $input) {
      option {
        ...Option
      }
      userErrors {
        message
      }
    }
  }
`);

const DeleteOption = graphql(`
  mutation DeleteOption($input: DeletePollOptionInput!) {
    deletePollOption(input: $input) {
      deletedId
      userErrors {
        message
      }
    }
  }
`);

const SETTINGS = [
  ['allowsSeveral', 'Several options'],
  ['allowsMaybe', '“If need be” as an answer'],
  ['hidesResults', 'Results are hidden until the poll closes'],
  ['hidesNames', 'Only you see who voted'],
] as const;

export function Corrections({ poll }: { poll: Poll }) {
  const { shortId } = poll;
  const { busy, change } = useChange(shortId);
  const correct = (input: object) => void change(Correct, { input: { shortId, ...input } }, 'Corrected: voters see that');
  return (
    <section aria-labelledby="corrections-title">
      <h3 id="corrections-title">Corrections</h3>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const text = (name: string) => String(form.get(name) ?? '').trim();
          correct({ question: text('question'), timeZone: text('timeZone') || null });
        }}
      >
        <label>
          <span>Question</span>
          <input name="question" defaultValue={poll.question} required maxLength={300} />
        </label>
        <label>
          <span>Time zone of its times, such as Europe/Berlin</span>
          <input name="timeZone" defaultValue={poll.timeZone ?? ''} maxLength={64} list="zones" />
          <datalist id="zones">
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </label>
        <div className="buttons">
          <button className="button" disabled={busy}>
            Save
          </button>
        </div>
      </form>
      <fieldset>
        <legend>How people vote</legend>
        {SETTINGS.map(([setting, words]) => (
          <label key={setting} className="choice">
            <input
              type="checkbox"
              checked={poll[setting]}
              disabled={busy}
              onChange={({ currentTarget }) => correct({ [setting]: currentTarget.checked })}
            />
            <span>{words}</span>
          </label>
        ))}
      </fieldset>
      {!poll.isClosed && (
        <ul className="corrections" aria-label="Options to correct">
          {sorted(poll.options).map((option) => (
            <OptionRow key={`${option.id} ${option.editedAt}`} option={option} poll={poll} />
          ))}
        </ul>
      )}
    </section>
  );
}

function OptionRow({ option, poll }: { option: Option; poll: Poll }) {
  const { busy, change } = useChange(poll.shortId);
  const isDay = Boolean(option.day) && option.text === option.day;
  const [text, setText] = useState(option.text);
  const votes = (option.voteCount ?? 0) + (option.maybeCount ?? 0);

  async function remove() {
    const people = `${number(votes)} ${votes === 1 ? 'person has' : 'people have'}`;
    const asked = option.voteCount === null ? 'Somebody may have voted for it.' : `${people} voted for it.`;
    const withVotes = votes > 0 || option.voteCount === null;
    const name = optionText(option, poll);
    if (withVotes && !window.confirm(`${asked} Delete “${name}” with its votes?`)) return;
    await change(DeleteOption, { input: { id: option.id, withVotes } }, `“${name}” is deleted`);
  }

  return (
    <li>
      <form
        className="form inline"
        onSubmit={(event) => {
          event.preventDefault();
          void change(CorrectOption, { input: { id: option.id, text: text.trim() } }, 'Corrected: voters see that');
        }}
      >
        <input
          aria-label={`Option ${optionText(option, poll)}`}
          type={isDay ? 'date' : 'text'}
          value={text}
          required
          maxLength={200}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button className="button" disabled={busy || text.trim() === option.text}>
          Correct
        </button>
        <button type="button" className="button" aria-label={`Delete option ${optionText(option, poll)}`} disabled={busy} onClick={() => void remove()}>
          Delete
        </button>
      </form>
    </li>
  );
}
