// The filters by category, source and skills, and the way to those that are typed.

import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';

import { replaceFilter } from '../route';
import { Icon } from '../ui/icons';
import { CATEGORY_WORDS, SOURCE_WORDS } from '../ui/words';
import { changed, type FilterName, IN_MENU } from './filter';
import { IN_PLACE, IN_RANGES, Places, Ranges } from './FilterDialogs';

/** Open from the beginning: it takes the place of the button that was pressed. `count` is how many filters are set. */
export function FilterMenu({ params, count }: { params: URLSearchParams; count: number }) {
  const [open, setOpen] = useState<'ranges' | 'places' | null>(null);
  const set = (names: readonly FilterName[]) => names.flatMap((name) => params.getAll(name)).length;
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
          <DropdownMenu.Item onSelect={() => setOpen('places')}>
            Tags and place
            {set(IN_PLACE) > 0 && <span className="badge">{set(IN_PLACE)}</span>}
          </DropdownMenu.Item>
          <DropdownMenu.Item onSelect={() => setOpen('ranges')}>
            Date and salary
            {set(IN_RANGES) > 0 && <span className="badge">{set(IN_RANGES)}</span>}
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
    {open === 'ranges' && <Ranges params={params} onClose={() => setOpen(null)} />}
    {open === 'places' && <Places params={params} onClose={() => setOpen(null)} />}
    </>
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
