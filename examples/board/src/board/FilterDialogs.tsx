// The filters that are typed, for which a menu has no place: days, amounts, tags and places.

import { Dialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';

import { replaceFilter } from '../route';
import { amountProblem, amounts, CURRENCY_CODES, currencyOf } from '../ui/amounts';
import { tagProblem, tagsIn } from '../ui/tagLine';
import { REMOTE_WORDS } from '../ui/words';
import { changed, type FilterName, type RangeName } from './filter';
import 'trestle-web-kit/styles/dialogs.css';

/** What each of them sets. */
export const IN_RANGES = ['appliedFrom', 'appliedTo', 'nextFrom', 'nextTo', 'salaryFrom', 'salaryTo', 'salaryIn'] as const satisfies readonly FilterName[];
export const IN_PLACE = ['tag', 'place', 'remote'] as const satisfies readonly FilterName[];

type Values = Partial<Record<FilterName, readonly string[]>>;

/** Days and salaries between two ends. */
export function Ranges({ params, onClose }: { params: URLSearchParams; onClose: () => void }) {
  function read(form: FormData): Values | string {
    const text = (name: FilterName) => String(form.get(name) ?? '').trim();
    const typed = [text('salaryFrom'), text('salaryTo')].map((one) => ({ one, read: amounts(one) }));
    // A sign decides which currency, unless that is chosen.
    const named = typed.flatMap(({ read: amount }) => (amount?.currencies ? (currencyOf(amount) ?? []) : []));
    const code = text('salaryIn') || named[0] || '';
    for (const { one } of typed) {
      const problem = one && amountProblem(one, { currency: code || null });
      if (problem) return problem;
    }
    const [from, to] = typed.map(({ read: amount }) => amount?.min ?? null);
    const isBackwards = (start: string | number | null | undefined, end: string | number | null | undefined) =>
      Boolean(start && end && start > end);
    for (const name of ['applied', 'next'] as const) {
      if (isBackwards(text(`${name}From`), text(`${name}To`))) return 'The first day is after the last one.';
    }
    if (isBackwards(from, to)) return 'The lowest salary is above the highest one.';
    const days = (['appliedFrom', 'appliedTo', 'nextFrom', 'nextTo'] as const).map((name) => [name, [text(name)]]);
    return {
      ...Object.fromEntries(days),
      salaryFrom: [from?.toString() ?? ''],
      salaryTo: [to?.toString() ?? ''],
      salaryIn: [code],
    };
  }

  const field = (name: RangeName, label: string, type: 'date' | 'text') => (
    <label>
      <span>{label}</span>
      <input name={name} type={type} defaultValue={params.get(name) ?? ''} autoComplete="off" {...(type === 'date' && { max: '9999-12-31' })} />
    </label>
  );
  return (
    <Typed title="Filter by date and salary" params={params} read={read} onClose={onClose}>
      <div className="pair">
        {field('appliedFrom', 'Applied on or after', 'date')}
        {field('appliedTo', 'Applied on or before', 'date')}
        {field('nextFrom', 'Next step on or after', 'date')}
        {field('nextTo', 'Next step on or before', 'date')}
        {field('salaryFrom', 'Salary of at least', 'text')}
        {field('salaryTo', 'Salary of at most', 'text')}
      </div>
      <label>
        <span>Currency</span>
        <select name="salaryIn" defaultValue={params.get('salaryIn') ?? ''}>
          <option value="">any</option>
          {CURRENCY_CODES.map((code) => (
            <option key={code} value={code}>
              {code}
            </option>
          ))}
        </select>
      </label>
    </Typed>
  );
}

/** Tags, and where the job is. */
export function Places({ params, onClose }: { params: URLSearchParams; onClose: () => void }) {
  function read(form: FormData): Values | string {
    const text = (name: FilterName) => String(form.get(name) ?? '').trim();
    return tagProblem(text('tag')) ?? { tag: tagsIn(text('tag')), place: [text('place')], remote: [text('remote')] };
  }
  return (
    <Typed title="Filter by tags and place" params={params} read={read} onClose={onClose}>
      <label>
        <span>One of the tags</span>
        <input name="tag" defaultValue={params.getAll('tag').join(', ')} placeholder="rust, first choice" autoComplete="off" />
      </label>
      <label>
        <span>Location</span>
        <input name="place" maxLength={200} defaultValue={params.get('place') ?? ''} autoComplete="off" />
      </label>
      <label>
        <span>Remote</span>
        <select name="remote" defaultValue={params.get('remote') ?? ''}>
          <option value="">any</option>
          <option value="yes">{REMOTE_WORDS.true}</option>
          <option value="no">{REMOTE_WORDS.false}</option>
        </select>
      </label>
    </Typed>
  );
}

/** A dialog whose fields become filters. */
function Typed({
  title,
  params,
  read,
  onClose,
  children,
}: {
  title: string;
  params: URLSearchParams;
  /** The values, or what is wrong with them. */
  read: (form: FormData) => Values | string;
  onClose: () => void;
  children: ReactNode;
}) {
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog small" aria-describedby={undefined}>
          <Dialog.Title>{title}</Dialog.Title>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              const values = read(new FormData(event.currentTarget));
              if (typeof values === 'string') {
                setProblem(values);
                return;
              }
              const all = Object.entries(values) as [FilterName, readonly string[]][];
              replaceFilter(all.reduce((rest, [name, value]) => changed(rest, name, value), params));
              onClose();
            }}
          >
            {children}
            {problem && <p role="alert">{problem}</p>}
            <div className="buttons">
              <Dialog.Close className="button">Cancel</Dialog.Close>
              <button className="button primary">Filter</button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
