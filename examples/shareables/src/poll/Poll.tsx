// A poll: its options, the person's vote, and the results as soon as they are shown.

import { useState } from 'react';
import { day, moment, number } from 'trestle-web-kit/ui/dates';
import { LOCALE } from 'trestle-web-kit/ui/locale';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { useVote } from '../api/changes';
import { type Option, type Poll, sorted } from '../api/data';
import { isAdmin } from '../api/opening';
import { useKnown } from '../api/known';
import { Bar } from '../share/Bar';
import { Votes } from './Votes';

type Answer = 'yes' | 'maybe' | 'no';

export function PollPage({ poll }: { poll: Poll }) {
  const admin = isAdmin(poll.shortId);
  const invitation = useKnown(poll.shortId)?.invitation;
  const hasTimes = poll.options?.some(({ startsAt }) => startsAt);
  const canVote = !poll.isClosed && !poll.isExpired && (!poll.invitedOnly || Boolean(invitation));
  return (
    <main className="page" id="content" tabIndex={-1}>
      <Bar shareable={poll} admin={admin} />
      <p className="question" dir="auto">{poll.question}</p>
      <p className="quiet">
        {number(poll.voterCount)} {poll.voterCount === 1 ? 'person has' : 'people have'} voted.{' '}
        {poll.isClosed ? 'The poll is closed.' : poll.closesAt ? `It closes ${moment(poll.closesAt)}.` : ''}{' '}
        {poll.hidesResults && !poll.isClosed && 'Results are hidden until the poll closes.'}{' '}
        {poll.invitedOnly && !invitation && 'Only people with a personal link vote.'}{' '}
        {poll.correctedAt && `Corrected ${moment(poll.correctedAt)}.`} {hasTimes && poll.timeZone && `Times are those of ${poll.timeZone}.`}
      </p>
      {canVote ? <VoteForm key={poll.myVote?.votedAt ?? 'new'} poll={poll} /> : <Results poll={poll} />}
      <Votes poll={poll} admin={admin} />
    </main>
  );
}

function Results({ poll }: { poll: Poll }) {
  return (
    <ul className="options" aria-label="Results">
      {sorted(poll.options).map((option) => (
        <li key={option.id} className="option">
          <span className="texts">
            <b dir="auto">{optionText(option, poll)}</b>
            <Corrected option={option} />
          </span>
          <Count option={option} poll={poll} />
        </li>
      ))}
    </ul>
  );
}

/** That what people voted for says something else now. */
function Corrected({ option }: { option: Option }) {
  if (!option.editedAt) return null;
  return <span className="quiet" title={moment(option.editedAt)}>corrected</span>;
}

/** How many voted for an option, once it is shown. */
function Count({ option, poll }: { option: Option; poll: Poll }) {
  if (option.voteCount === null || option.voteCount === undefined) return null;
  const maybe = poll.allowsMaybe && option.maybeCount ? `, ${number(option.maybeCount)} if need be` : '';
  return (
    <span className="count">
      <meter min={0} max={100} value={option.percentage ?? 0} aria-label={`Share of ${option.text}`} />
      <span>
        {number(option.voteCount)}
        {maybe}
      </span>
    </span>
  );
}

/** The text of an option. A day or a time to which nobody gave a text is written as people write it here, by the poll's clock. */
export function optionText({ text, day: date, startsAt }: Option, { timeZone }: Pick<Poll, 'timeZone'>): string {
  if (date && text === date) return day(date);
  return startsAt && /^\d{4}-\d{2}-\d{2}T/u.test(text) ? inZone(startsAt, timeZone) : text;
}

/** A moment by the clock of a zone; by that of the reader if there is none, or the browser does not know it. */
function inZone(at: string, timeZone: string | null | undefined): string {
  try {
    return new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short', ...(timeZone && { timeZone }) }).format(new Date(at));
  } catch {
    return moment(at);
  }
}

function VoteForm({ poll }: { poll: Poll }) {
  const vote = useVote(poll);
  const notices = useNotices();
  const options = sorted(poll.options);
  const { optionIds = [], maybeOptionIds = [], comment = '' } = poll.myVote ?? {};
  const [answers, setAnswers] = useState<Record<string, Answer>>(() =>
    Object.fromEntries([...maybeOptionIds.map((id) => [id, 'maybe'] as const), ...optionIds.map((id) => [id, 'yes'] as const)]),
  );
  const [words, setWords] = useState(comment ?? '');
  const answer = (id: string): Answer => answers[id] ?? 'no';

  function choose(id: string, value: Answer) {
    const others = poll.allowsSeveral || value !== 'yes' ? answers : Object.fromEntries(Object.entries(answers).filter(([, each]) => each !== 'yes'));
    setAnswers({ ...others, [id]: value });
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const chosen = (value: Answer) => options.filter(({ id }) => answer(id) === value);
        void vote(chosen('yes'), chosen('maybe'), words.trim()).then((made) => made && notices.say('Your vote is counted'));
      }}
    >
      <fieldset className="choices">
        <legend className="visually-hidden">{poll.question}</legend>
        <ul className="options">
          {options.map((option) => (
            <li key={option.id} className="option">
              {poll.allowsMaybe ? (
                <Three option={option} poll={poll} value={answer(option.id)} onChoose={(value) => choose(option.id, value)} />
              ) : (
                <label className="tickable">
                  <input
                    type={poll.allowsSeveral ? 'checkbox' : 'radio'}
                    name="vote"
                    checked={answer(option.id) === 'yes'}
                    onChange={({ currentTarget }) => choose(option.id, currentTarget.checked ? 'yes' : 'no')}
                  />
                  <b dir="auto">{optionText(option, poll)}</b>
                  <Corrected option={option} />
                </label>
              )}
              <Count option={option} poll={poll} />
            </li>
          ))}
        </ul>
      </fieldset>
      <div className="form">
        <label>
          <span>Comment (optional)</span>
          <input value={words} maxLength={500} onInput={({ currentTarget }) => setWords(currentTarget.value)} />
        </label>
      </div>
      <div className="buttons">
        <button className="button primary">{poll.myVote ? 'Change my vote' : 'Vote'}</button>
        <button
          type="button"
          className="button"
          aria-pressed={poll.myVote?.noneSuits ?? false}
          onClick={() => void vote([], [], words.trim(), true).then((made) => made && notices.say('Your answer is counted: none of these'))}
        >
          None of these
        </button>
      </div>
    </form>
  );
}

const THREE: readonly (readonly [Answer, string])[] = [
  ['yes', 'Yes'],
  ['maybe', 'If need be'],
  ['no', 'No'],
];

function Three({ option, poll, value, onChoose }: { option: Option; poll: Poll; value: Answer; onChoose: (value: Answer) => void }) {
  return (
    <fieldset className="choices three">
      <legend dir="auto">{optionText(option, poll)}</legend>
      {THREE.map(([each, words]) => (
        <label key={each}>
          <input type="radio" name={option.id} checked={value === each} onChange={() => onChoose(each)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}
