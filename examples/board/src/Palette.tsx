// Where to go and what to do, found by a part of its name: commands, saved views and applications. And the keys of the page.

import { useQuery } from '@apollo/client/react';
import { Dialog } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';
import { useReturnFocus } from 'trestle-web-kit/ui/focus';
import { useTheme } from 'trestle-web-kit/ui/theme';
import 'trestle-web-kit/styles/dialogs.css';

import { hasWords } from './api/lists';
import { readViews } from './board/views';
import { graphql } from './gql';
import { href } from './route';
import './styles/palette.css';

/** How long the search waits for the next letter, in milliseconds. */
const PAUSE_MS = 200;

const FindDocument = graphql(`
  query Find($text: String!) {
    applications(filter: { text: $text, archived: INCLUDE }, first: 8) {
      edges {
        node {
          id
          companyName
          positionTitle
        }
      }
    }
  }
`);

/** What other keys do, where they do it. */
const KEYS: readonly (readonly [string, string])[] = [
  ['e', 'Open the card that has the focus, to edit it'],
  ['Arrows', 'Go from card to card'],
  ['Space on a grip', 'Pick up a card; arrows move it, Space drops it'],
  ['Ctrl or ⌘ and Z', 'Undo what was done last'],
  ['Ctrl or ⌘ and K, ?', 'Show this'],
];

interface Command {
  readonly name: string;
  /** The key that does it without the palette. */
  readonly key?: string;
  readonly run: () => void;
}

/** What the header leads to, as far as the person sees it. */
function links(): Command[] {
  const seen = [...document.querySelectorAll<HTMLElement>('header.top a')].filter((link) => link.checkVisibility());
  return seen.map((link) => ({
    name: link.getAttribute('aria-label') ?? link.textContent.trim(),
    ...(link.matches('.primary') && { key: 'n' }),
    run: () => link.click(),
  }));
}

export function Palette({ onSearch, onClose }: { onSearch: (() => void) | undefined; onClose: () => void }) {
  const returnFocus = useReturnFocus();
  const { dark, toggle } = useTheme();
  const [commands] = useState(() => [{ name: 'Search', key: '/', run: () => onSearch?.() }, ...links()]);
  const [text, setText] = useState('');
  const [sought, setSought] = useState('');
  const [at, setAt] = useState(0);
  const chosen = useRef<Command | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSought(text.trim().slice(0, 200)), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery(FindDocument, { variables: { text: sought }, skip: sought === '', fetchPolicy: 'no-cache' });
  const views = readViews().map(({ name, place }) => ({ name: `View “${name}”`, run: () => window.location.assign(place) }));
  const theme = { name: dark ? 'Use light colours' : 'Use dark colours', run: toggle };
  const applications = (sought === text.trim() ? (data?.applications?.edges ?? []) : []).flatMap(({ node }) =>
    node ? [{ name: `${node.companyName}, ${node.positionTitle}`, run: () => window.location.assign(href(`/applications/${node.id}`)) }] : [],
  );
  const all: readonly Command[] = [...[...commands, theme, ...views].filter(({ name }) => hasWords(text, name)), ...applications];
  const current = Math.min(at, all.length - 1);

  function choose(command: Command | undefined) {
    if (!command) return;
    chosen.current = command;
    onClose();
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className="dialog small palette"
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            returnFocus(event);
            // When nothing is open any more, and the focus is where it was.
            chosen.current?.run();
          }}
        >
          <Dialog.Title>Commands and keys</Dialog.Title>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              choose(all[current]);
            }}
          >
            <input
              role="combobox"
              aria-label="Command or application"
              aria-expanded
              aria-controls="palette-list"
              aria-activedescendant={current >= 0 ? `palette-${current}` : undefined}
              autoComplete="off"
              value={text}
              onChange={({ target }) => {
                setText(target.value);
                setAt(0);
              }}
              onKeyDown={(event) => {
                const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
                if (!step || all.length === 0) return;
                event.preventDefault();
                setAt((current + step + all.length) % all.length);
              }}
            />
          </form>
          <ul id="palette-list" role="listbox" aria-label="Commands">
            {all.map((command, place) => (
              <li
                key={`${place} ${command.name}`}
                id={`palette-${place}`}
                role="option"
                aria-selected={place === current}
                ref={(item) => {
                  if (place === current) item?.scrollIntoView({ block: 'nearest' });
                }}
                onClick={() => choose(command)}
              >
                <span dir="auto">{command.name}</span>
                {command.key && <kbd>{command.key}</kbd>}
              </li>
            ))}
          </ul>
          {all.length === 0 && <p className="quiet">Nothing found</p>}
          {text === '' && (
            <dl className="keys">
              {KEYS.map(([key, does]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
