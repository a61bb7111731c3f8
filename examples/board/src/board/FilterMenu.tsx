// The filters by category, source, skills, date and salary.

import { Dialog, DropdownMenu } from 'radix-ui';
import { useState } from 'react';

import { replaceFilter } from '../route';
import { amountProblem, amounts } from '../ui/amounts';
import { currency } from '../ui/money';
import { Icon } from '../ui/icons';
import { CATEGORY_WORDS, SOURCE_WORDS } from '../ui/words';
import { changed, type FilterName, IN_MENU, type RangeName } from './filter';
import 'trestle-web-kit/styles/dialogs.css';

/** Open from the beginning: it takes the place of the button that was pressed. `count` is how many filters are set. */
export function FilterMenu({ params, count }: { params: URLSearchParams; count: number }) {
  const [ranges, setRanges] = useState(false);
  const set = (['appliedFrom', 'appliedTo', 'salaryFrom', 'salaryTo'] as const).filter((name) => params.get(name));
  return (
    <>
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger className="button" aria-label="Filter">
        <Icon name="filter" /> <span>Filter</span>
        {count > 0 && <span className="badge">{count}</span>}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          onInteractOutside={(event) => {
            // Its parts stand beside it in the page, and Preact's events do not take the way through portals.
            if (event.target instanceof Element && event.target.closest('[role="menu"]')) event.preventDefault();
          }}
        >
          <Choices title="Company category" name="category" words={CATEGORY_WORDS} params={params} />
          <Choices title="Source" name="source" words={SOURCE_WORDS} params={params} />
          <SkillsMatch params={params} />
          <DropdownMenu.Item onSelect={() => setRanges(true)}>
            Date and salary
            {set.length > 0 && <span className="badge">{set.length}</span>}
          </DropdownMenu.Item>
          <DropdownMenu.Separator />
          <DropdownMenu.Item
            disabled={count === 0}
            onSelect={() =>
              replaceFilter(
                IN_MENU.reduce((rest, name) => changed(rest, name, []), params),
              )
            }
          >
            Clear all
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
    {ranges && <Ranges params={params} onClose={() => setRanges(false)} />}
    </>
  );
}

/** Ranges have ends that are typed, for which a menu has no place. */
function Ranges({ params, onClose }: { params: URLSearchParams; onClose: () => void }) {
  const [problem, setProblem] = useState<string | null>(null);

  function apply(form: FormData) {
    const text = (name: RangeName) => String(form.get(name) ?? '').trim();
    const typed = [text('salaryFrom'), text('salaryTo')];
    const wrong = typed.flatMap((amount) => (amount ? (amountProblem(amount, currency()) ?? []) : []));
    const [from, to] = typed.map((amount) => (amount ? (amounts(amount)?.min ?? null) : null));
    const isBackwards = (start: string | number | null | undefined, end: string | number | null | undefined) =>
      Boolean(start && end && start > end);
    if (wrong[0]) return setProblem(wrong[0]);
    if (isBackwards(text('appliedFrom'), text('appliedTo'))) return setProblem('The first day is after the last one.');
    if (isBackwards(from, to)) return setProblem('The lowest salary is above the highest one.');
    const next = changed(
      changed(params, 'appliedFrom', [text('appliedFrom')]),
      'appliedTo',
      [text('appliedTo')],
    );
    replaceFilter(changed(changed(next, 'salaryFrom', [from?.toString() ?? '']), 'salaryTo', [to?.toString() ?? '']));
    onClose();
    return undefined;
  }

  const field = (name: RangeName, label: string, type: 'date' | 'text') => (
    <label>
      <span>{label}</span>
      <input name={name} type={type} defaultValue={params.get(name) ?? ''} autoComplete="off" {...(type === 'date' && { max: '9999-12-31' })} />
    </label>
  );
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog small" aria-describedby={undefined}>
          <Dialog.Title>Filter by date and salary</Dialog.Title>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              apply(new FormData(event.currentTarget));
            }}
          >
            {field('appliedFrom', 'Applied on or after', 'date')}
            {field('appliedTo', 'Applied on or before', 'date')}
            {field('salaryFrom', 'Salary of at least', 'text')}
            {field('salaryTo', 'Salary of at most', 'text')}
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

function Choices({
  title,
  name,
  words,
  params,
}: {
  title: string;
  name: FilterName;
  words: Record<string, string>;
  params: URLSearchParams;
}) {
  const chosen = params.getAll(name);
  return (
    <DropdownMenu.Sub>
      <DropdownMenu.SubTrigger>
        {title}
        {chosen.length > 0 && <span className="badge">{chosen.length}</span>}
      </DropdownMenu.SubTrigger>
      <DropdownMenu.Portal>
        <DropdownMenu.SubContent className="menu" collisionPadding={8}>
          {Object.entries(words).map(([value, label]) => (
            <DropdownMenu.CheckboxItem
              key={value}
              checked={chosen.includes(value)}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(checked) => {
                const others = chosen.filter((other) => other !== value);
                replaceFilter(changed(params, name, checked ? [...others, value] : others));
              }}
            >
              <span className="tick">
                <DropdownMenu.ItemIndicator>
                  <Icon name="check" />
                </DropdownMenu.ItemIndicator>
              </span>
              {label}
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.SubContent>
      </DropdownMenu.Portal>
    </DropdownMenu.Sub>
  );
}

function SkillsMatch({ params }: { params: URLSearchParams }) {
  const least = params.get('skills') ?? '';
  return (
    <DropdownMenu.Sub>
      <DropdownMenu.SubTrigger>
        Skills match
        {least && <span className="badge">{least}+</span>}
      </DropdownMenu.SubTrigger>
      <DropdownMenu.Portal>
        <DropdownMenu.SubContent className="menu" collisionPadding={8}>
          <DropdownMenu.RadioGroup
            value={least}
            onValueChange={(value) => replaceFilter(changed(params, 'skills', [value]))}
          >
            {['', '2', '3', '4', '5'].map((value) => (
              <DropdownMenu.RadioItem key={value} value={value}>
                <span className="tick">
                  <DropdownMenu.ItemIndicator>
                    <Icon name="check" />
                  </DropdownMenu.ItemIndicator>
                </span>
                {value ? `${value} or better` : 'Any'}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.SubContent>
      </DropdownMenu.Portal>
    </DropdownMenu.Sub>
  );
}
