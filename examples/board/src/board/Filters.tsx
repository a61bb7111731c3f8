// Search and filters above the board.

import { useEffect, useRef, useState } from 'react';
import { MenuFailed } from 'trestle-web-kit/ui/MenuFailed';
import { Load, type Part, part } from 'trestle-web-kit/ui/part';

import { replaceFilter } from '../route';
import { Icon } from '../ui/icons';
import { changed, countOf } from './filter';

export const FILTER_MENU = part(() => import('./FilterMenu').then(({ FilterMenu }) => FilterMenu));
export const ALSO_FOUND = part(() => import('./AlsoFound').then(({ AlsoFound }) => AlsoFound));
export const VIEW_MENU = part(() => import('./ViewMenu').then(({ ViewMenu }) => ViewMenu));

/** How long the search waits for the next letter, in milliseconds. */
const PAUSE = 200;

export function Filters({ params }: { params: URLSearchParams }) {
  const count = countOf(params);
  return (
    <search className="filters">
      <Search params={params} />
      <Menu name="Filter" icon="filter" count={count} menu={FILTER_MENU} props={{ params, count }} />
      <Menu name="Views" icon="star" menu={VIEW_MENU} props={{}} />
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
        <Icon name="archive" /> <span>Show archive</span>
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
        placeholder="Search"
        aria-label="Search applications"
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  );
}

/** The button of a menu, which is loaded when it is first opened. */
function Menu<Props extends object>({
  name,
  icon,
  count = 0,
  menu,
  props,
}: {
  name: string;
  icon: 'filter' | 'star';
  count?: number;
  menu: Part<Props>;
  props: Props;
}) {
  const [opened, setOpened] = useState(false);
  const button = (
    <button
      type="button"
      className="button"
      aria-haspopup="menu"
      aria-expanded={opened}
      aria-label={name}
      onClick={() => setOpened(true)}
    >
      <Icon name={icon} /> <span>{name}</span>
      {count > 0 && <span className="badge">{count}</span>}
    </button>
  );
  if (!opened) return button;
  return (
    <Load
      part={menu}
      props={props}
      waiting={button}
      failed={(failure) => <MenuFailed {...failure}>{button}</MenuFailed>}
    />
  );
}
