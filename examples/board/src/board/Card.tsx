// One application on the board.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { useDraggable } from '@dnd-kit/core';
import { DropdownMenu } from 'radix-ui';
import { useRef } from 'react';

import { STATUSES } from '../api/lists';
import { graphql } from '../gql';
import type { CardFragment } from '../gql/graphql';
import { href } from '../route';
import { besides } from '../ui/focus';
import { Icon } from '../ui/icons';
import { CATEGORY_WORDS, day, salary, STATUS_WORDS, today } from '../ui/words';
import { useChanges } from './changes';

export const Card = graphql(`
  fragment Card on Application {
    id
    status
    isArchived
    companyName
    positionTitle
    companyCategory
    dateApplied
    offerDueDate
    skillsMatch
    salaryMin
    salaryMax
    interviewStages {
      id
      name
      order
      isCompleted
    }
  }
`);

/** The card in a column: it can be dragged by pointer, moved by keyboard, and has a menu. */
export function CardItem({ application }: { application: FragmentType<CardFragment> }) {
  const { data, complete } = useFragment({ fragment: Card, fragmentName: 'Card', from: application });
  return complete ? <Draggable card={data} /> : null;
}

function Draggable({ card }: { card: CardFragment }) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, isDragging } = useDraggable({
    id: card.id,
    data: { name: `${card.companyName}, ${card.positionTitle}` },
    disabled: card.isArchived,
  });
  // The card answers to pointers anywhere; keys belong to its handle alone, beside its link and menu.
  const { onKeyDown, ...pointers } = listeners ?? {};
  return (
    <article
      ref={setNodeRef}
      className={isDragging ? 'card lifted' : 'card'}
      aria-label={`${card.companyName}, ${card.positionTitle}`}
      {...pointers}
    >
      <CardFace card={card} />
      <div className="card-tools">
        {!card.isArchived && (
          <button
            type="button"
            ref={setActivatorNodeRef}
            className="bare grip"
            {...attributes}
            onKeyDown={(event) => onKeyDown?.(event)}
            aria-label={`Drag ${card.companyName}`}
          >
            <Icon name="grip" />
          </button>
        )}
        <CardMenu card={card} />
      </div>
    </article>
  );
}

/** What a card shows, in its column and under the pointer. */
export function CardFace({ card }: { card: CardFragment }) {
  const stages = card.interviewStages ?? [];
  const done = stages.filter(({ isCompleted }) => isCompleted).length;
  const next = stages.find(({ isCompleted }) => !isCompleted);
  const pay = salary(card.salaryMin, card.salaryMax);
  return (
    <>
      <h3 dir="auto">
        <a href={href(`/applications/${card.id}`)} draggable={false}>
          {card.companyName}
        </a>
      </h3>
      <p className="position" dir="auto">{card.positionTitle}</p>
      <p className="facts">
        {card.companyCategory && (
          <span className="tag">{CATEGORY_WORDS[card.companyCategory]}</span>
        )}
        {card.dateApplied && <time dateTime={card.dateApplied}>{day(card.dateApplied)}</time>}
      </p>
      <p className="facts">
        {pay && <span>{pay}</span>}
        {card.skillsMatch !== null && <Match value={card.skillsMatch} />}
      </p>
      {card.offerDueDate && card.status === 'GIVEN_OFFER' && (
        <p className={card.offerDueDate < today() ? 'due late' : 'due'}>
          <Icon name="calendar" /> Answer by {day(card.offerDueDate)}
        </p>
      )}
      {stages.length > 0 && (
        <p className="progress">
          <span
            className="dots"
            role="img"
            aria-label={`${done} of ${stages.length} interview stages done`}
          >
            {stages.map((stage) => (
              <i key={stage.id} className={stage.isCompleted ? 'done' : ''} />
            ))}
          </span>
          <span>{next ? `Next: ${next.name}` : 'All stages done'}</span>
        </p>
      )}
    </>
  );
}

function Match({ value }: { value: number }) {
  return (
    <span className="match" role="img" aria-label={`Skills match ${value} of 5`}>
      {[1, 2, 3, 4, 5].map((step) => (
        <i key={step} className={step <= value ? 'on' : ''} />
      ))}
    </span>
  );
}

function CardMenu({ card }: { card: CardFragment }) {
  const { move, archive, unarchive } = useChanges();
  const trigger = useRef<HTMLButtonElement>(null);
  /** Has the focus once this card is elsewhere. */
  const next = useRef<HTMLElement | null>(null);
  const leave = () => {
    const column = trigger.current?.closest('section');
    next.current =
      besides(trigger.current?.closest('li'), '[aria-haspopup="menu"]') ??
      column?.querySelector<HTMLElement>('header a') ??
      null;
  };
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        ref={trigger}
        className="bare"
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
                void unarchive(card.id);
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
                    void move(card.id, status);
                  }}
                >
                  <i className="dot" data-status={status} /> {STATUS_WORDS[status]}
                </DropdownMenu.Item>
              ))}
              <DropdownMenu.Separator />
              <DropdownMenu.Item
                onSelect={() => {
                  leave();
                  void archive(card.id);
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
