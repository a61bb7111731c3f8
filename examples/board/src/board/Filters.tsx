// Search and filters above the board.

import { DropdownMenu } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';

import { replaceFilter } from '../route';
import { Icon } from '../ui/icons';
import { CATEGORY_WORDS, SOURCE_WORDS } from '../ui/words';
import { changed, type FilterName } from './filter';

/** How long the search waits for the next letter, in milliseconds. */
const PAUSE = 200;

export function Filters({ params }: { params: URLSearchParams }) {
  const count = ['category', 'source', 'skills'].flatMap((name) => params.getAll(name)).length;
  return (
    <search className="filters">
      <Search params={params} />
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="button" aria-label="Filter">
          <Icon name="filter" /> <span>Filter</span>
          {count > 0 && <span className="badge">{count}</span>}
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="start" sideOffset={6} collisionPadding={8}>
            <Choices title="Company category" name="category" words={CATEGORY_WORDS} params={params} />
            <Choices title="Source" name="source" words={SOURCE_WORDS} params={params} />
            <SkillsMatch params={params} />
            <DropdownMenu.Separator />
            <DropdownMenu.Item
              disabled={count === 0}
              onSelect={() =>
                replaceFilter(
                  (['category', 'source', 'skills'] as const).reduce(
                    (rest, name) => changed(rest, name, []),
                    params,
                  ),
                )
              }
            >
              Clear all
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <button
        type="button"
        className="button"
        aria-pressed={params.get('archived') === 'only'}
        onClick={() =>
          replaceFilter(
            changed(params, 'archived', params.get('archived') === 'only' ? [] : ['only']),
          )
        }
      >
        <Icon name="archive" /> <span>Archive</span>
      </button>
    </search>
  );
}

function Search({ params }: { params: URLSearchParams }) {
  const asked = params.get('text') ?? '';
  const [text, setText] = useState(asked);
  const latest = useRef(params);
  latest.current = params;
  /** What the address asks for because of what was typed here. */
  const written = useRef(asked);
  useEffect(() => {
    // A link, or the way back, asks for something else.
    if (asked === written.current) return;
    written.current = asked;
    setText(asked);
  }, [asked]);
  useEffect(() => {
    if (text === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = text;
      replaceFilter(changed(latest.current, 'text', [text]));
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label className="search">
      <Icon name="search" />
      <input
        type="search"
        placeholder="Search company or position"
        aria-label="Search company or position"
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
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
