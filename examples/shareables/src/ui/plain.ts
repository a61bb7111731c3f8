// What the API says of a refusal, in words for people: no name of a field, and places counted from one.

/** Refusals that need other words, whatever field they are of. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^`passcode` opens no shareable with this short id/u, 'There is nothing with this short id and passcode.'],
  [/^`passcode` is not the admin passcode/u, 'This is not the admin passcode.'],
  [/names nothing in the shareable that the token opens/u, 'It is not there any more: somebody may have deleted it.'],
  [/cannot be changed: the poll is closed|names a poll that is closed/u, 'The poll is closed.'],
  [/belongs to a shareable that has expired/u, 'It has expired: nobody can change it any more.'],
  [/names a poll that has (\d+) options/u, 'The poll has $1 options, the most it can have.'],
  [/names a checklist that would have more than (\d+) items/u, 'The checklist would have more than $1 items, the most it can have.'],
  [/names more than (\d+) people/u, 'At most $1 people can be invited.'],
  [/must be other options than those of/u, 'For each option, choose one answer.'],
  [/^`text` is already an option of the poll/u, 'The poll has this option already.'],
  [/^Open the shareable with /u, 'It is not open in this browser any more: open it again.'],
  [/^The device is signed out/u, 'This browser is signed out: open it again.'],
];

/** What the entries of a list are called. */
const ENTRIES: Record<string, string> = { items: 'Item', names: 'Person', options: 'Option', times: 'Day', voters: 'Person' };

/** What fields are called on the page. */
const FIELDS: Record<string, string> = {
  closesAt: 'The time at which it closes',
  comment: 'The comment',
  expiresAt: 'The day of expiry',
  items: 'The list of items',
  maybeOptionIds: 'The answer “if need be”',
  name: 'The name',
  note: 'The note',
  optionIds: 'The vote',
  options: 'The list of options',
  passcode: 'The passcode',
  person: '“Who”',
  quantity: '“How much”',
  question: 'The question',
  secret: 'The personal link',
  shortId: 'The short id',
  text: 'The text',
  times: 'The list of days',
  viewPasscode: 'The view passcode',
  voterName: 'Your name',
  voters: 'The list of people',
};

/** A message of the API as the page says it. */
export function plain(message: string): string {
  for (const [refusal, words] of SENTENCES) {
    const found = refusal.exec(message);
    if (found) return words.replace('$1', found[1] ?? '');
  }
  const [, path, rest] = /^`([\w.]+)` (.*)$/su.exec(message) ?? [];
  if (!path || !rest) return message.replaceAll('`', '');
  const said = rest
    .replace(/^is already an option of the poll/u, 'is there twice')
    .replace(/^names somebody who is already invited/u, 'is invited already')
    .replaceAll('`', '');
  return `${called(path.split('.'))} ${said}`;
}

/** What a field is called: `poll.options.2` is option 3, `checklist.items.0.note` the note of item 1. */
function called(path: readonly string[]): string {
  const at = path.findIndex((part) => /^\d+$/u.test(part));
  const entry = at > 0 ? ENTRIES[path[at - 1] ?? ''] : undefined;
  const last = path.at(-1) ?? '';
  if (!entry) return FIELDS[last] ?? 'What you gave';
  const numbered = `${entry} ${Number(path[at]) + 1}`;
  const inner = at < path.length - 1 ? FIELDS[last] : undefined;
  return inner && last !== 'name' && last !== 'text' ? `${inner} of ${numbered.toLowerCase()}` : numbered;
}
