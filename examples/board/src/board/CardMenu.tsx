// The menu of a card: moves it, archives it, or takes it out of the archive.

import { useApolloClient } from '@apollo/client/react';
import { DropdownMenu } from 'radix-ui';
import { useRef } from 'react';
import { besides } from 'trestle-web-kit/ui/focus';

import { readPlaced, STATUSES } from '../api/lists';
import type { CardFragment } from '../gql/graphql';
import { Icon } from '../ui/icons';
import { STATUS_WORDS } from '../ui/words';
import { useChanges } from './changes';

/** Open from the beginning: it takes the place of the button that was pressed. */
export function CardMenu({ card, tabIndex }: { card: CardFragment; tabIndex: 0 | -1 }) {
  const { cache } = useApolloClient();
  const { move, archive, unarchive } = useChanges();
  /** The application as it was when the menu was opened. */
  const seen = useRef(readPlaced(cache, card.id));
  const trigger = useRef<HTMLButtonElement>(null);
  /** Gets the focus once this card is elsewhere. */
  const next = useRef<HTMLElement | null>(null);
  const leave = () => {
    const column = trigger.current?.closest('section');
    next.current =
      besides(trigger.current?.closest('li'), '[aria-haspopup="menu"]') ??
      column?.querySelector<HTMLElement>('header a') ??
      null;
  };
  return (
    <DropdownMenu.Root
      modal={false}
      defaultOpen
      onOpenChange={(open) => {
        if (open) seen.current = readPlaced(cache, card.id);
      }}
    >
      <DropdownMenu.Trigger
        ref={trigger}
        className="bare"
        tabIndex={tabIndex}
        aria-label={`Actions for ${card.companyName}`}
        onMouseDown={(event) => event.stopPropagation()}
        onTouchStart={(event) => event.stopPropagation()}
      >
        <Icon name="more" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            if (!next.current) return;
            event.preventDefault();
            next.current.focus();
            next.current = null;
          }}
        >
          {card.isArchived ? (
            <DropdownMenu.Item
              onSelect={() => {
                leave();
                void unarchive(card.id, seen.current);
              }}
            >
              <Icon name="restore" /> Take out of the archive
            </DropdownMenu.Item>
          ) : (
            <>
              <DropdownMenu.Label>Move to</DropdownMenu.Label>
              {STATUSES.filter((status) => status !== card.status).map((status) => (
                <DropdownMenu.Item
                  key={status}
                  onSelect={() => {
                    leave();
                    void move(card.id, status, seen.current);
                  }}
                >
                  <i className="dot" data-status={status} /> {STATUS_WORDS[status]}
                </DropdownMenu.Item>
              ))}
              <DropdownMenu.Separator />
              <DropdownMenu.Item
                onSelect={() => {
                  leave();
                  void archive(card.id, seen.current);
                }}
              >
                <Icon name="archive" /> Archive
              </DropdownMenu.Item>
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
