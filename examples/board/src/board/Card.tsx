// One application on the board.

import type { FragmentType } from '@apollo/client';
import { useFragment } from '@apollo/client/react';
import { useContext, useState } from 'react';
import { useReadOnly } from 'trestle-web-kit/api/readOnly';
import { MenuFailed } from 'trestle-web-kit/ui/MenuFailed';
import { clock, dateOf, day, dayNear, daysAfter, lasting, today } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';
import { Load, part } from 'trestle-web-kit/ui/part';

import { graphql } from '../gql';
import type { CardFragment } from '../gql/graphql';
import { href } from '../route';
import { salary } from '../ui/money';
import { Tags } from '../ui/tags';
import { Icon } from '../ui/icons';
import { CATEGORY_WORDS, STATUS_WORDS, whereOf } from '../ui/words';
import { DRAGGING, HELP, Lifted, press } from './lifting';

export const CARD_MENU = part(() => import('./CardMenu').then(({ CardMenu }) => CardMenu));

export const Card = graphql(`
  fragment Card on Application {
    id
    status
    statusSince
    isArchived
    companyName
    positionTitle
    companyCategory
    dateApplied
    offerDueDate
    nextAction
    nextActionDate
    skillsMatch
    salaryMin
    salaryMax
    salaryCurrency
    salaryPeriod
    tags
    location
    isRemote
    interviewStages {
      id
      name
      order
      isCompleted
      scheduledAt
    }
  }
`);

/** The card in a column: it can be dragged by pointer, moved by keyboard, and has a menu. */
export function CardItem({
  application,
  tabbable,
}: {
  application: FragmentType<CardFragment>;
  /** Whether the Tab key reaches its controls: those of one card of each column. */
  tabbable: boolean;
}) {
  const { data, complete } = useFragment({ fragment: Card, fragmentName: 'Card', from: application });
  return complete ? <Draggable card={data} tabIndex={tabbable ? 0 : -1} /> : null;
}

function Draggable({ card, tabIndex }: { card: CardFragment; tabIndex: 0 | -1 }) {
  const readOnly = useReadOnly();
  const isLifted = useContext(Lifted) === card.id;
  const name = `${card.companyName}, ${card.positionTitle}`;
  const disabled = card.isArchived || readOnly;
  const notices = useNotices();
  const failed = (newer: boolean) => {
    if (newer) notices.warn('A new version is there.', { label: 'Reload', run: () => window.location.reload() });
    else
      notices.warn('Cards cannot be moved: a part of the page could not be loaded.', {
        label: 'Try again',
        run: () => void DRAGGING.load(),
      });
  };
  const lift = disabled ? undefined : (event: Parameters<typeof press>[0]) => press(event, { id: card.id, name }, failed);
  return (
    <article
      className={isLifted ? 'card lifted' : 'card'}
      aria-label={name}
      // The card answers to pointers anywhere; keys belong to its handle alone, beside its link and menu.
      onMouseDown={lift}
      onTouchStart={lift}
    >
      <CardFace card={card} tabIndex={tabIndex} />
      <div className="card-tools writes">
        {!card.isArchived && (
          <button
            type="button"
            className="bare grip"
            tabIndex={tabIndex}
            onKeyDown={lift}
            aria-disabled={disabled}
            aria-pressed={isLifted || undefined}
            aria-roledescription="draggable"
            aria-describedby={HELP}
            aria-label={`Drag ${card.companyName}`}
          >
            <Icon name="grip" />
          </button>
        )}
        <Menu card={card} tabIndex={tabIndex} />
      </div>
    </article>
  );
}

/** The button of the card's menu. The menu itself is loaded when it is first opened. */
function Menu({ card, tabIndex }: { card: CardFragment; tabIndex: 0 | -1 }) {
  const [opened, setOpened] = useState(false);
  const button = (
    <button
      type="button"
      className="bare"
      tabIndex={tabIndex}
      aria-haspopup="menu"
      aria-expanded={opened}
      aria-label={`Actions for ${card.companyName}`}
      onMouseDown={(event) => event.stopPropagation()}
      onTouchStart={(event) => event.stopPropagation()}
      onClick={() => setOpened(true)}
    >
      <Icon name="more" />
    </button>
  );
  if (!opened) return button;
  return (
    <Load
      part={CARD_MENU}
      props={{ card, tabIndex }}
      waiting={button}
      failed={(failure) => <MenuFailed {...failure}>{button}</MenuFailed>}
    />
  );
}

/** What a card shows, in its column and under the pointer: whose it is, what matters now, then what it offers. */
export function CardFace({ card, tabIndex }: { card: CardFragment; tabIndex?: 0 | -1 }) {
  const stages = card.interviewStages ?? [];
  const done = stages.filter(({ isCompleted }) => isCompleted).length;
  const pay = salary(card);
  const place = whereOf(card);
  const { text, on, urgency } = matters(card);
  const isWaiting = urgency === 'waiting' && text !== '';
  return (
    <>
      <h3 dir="auto">
        <a href={href(`/applications/${card.id}`)} draggable={false} tabIndex={tabIndex}>
          {card.companyName}
        </a>
      </h3>
      <p className="position" dir="auto">{card.positionTitle}</p>
      {(text || stages.length > 0) && (
        <p className={`now ${urgency}`}>
          <span>
            <span>{text}</span>
            {on && <time dateTime={on.date}>{on.text}</time>}
          </span>
          {isWaiting && <Applied on={card.dateApplied} />}
          {stages.length > 0 && (
            <span className="dots" role="img" aria-label={`${done} of ${stages.length} interview stages done`}>
              {stages.map((stage) => (
                <i key={stage.id} className={stage.isCompleted ? 'done' : ''} />
              ))}
            </span>
          )}
        </p>
      )}
      <p className="facts">
        {pay && <span>{pay}</span>}
        {place && <span dir="auto">{place}</span>}
        {!isWaiting && <Applied on={card.dateApplied} />}
      </p>
      {(card.companyCategory || card.skillsMatch !== null || (card.tags && card.tags.length > 0)) && (
        <p className="facts">
          {card.companyCategory && <span className="tag">{CATEGORY_WORDS[card.companyCategory]}</span>}
          {card.tags && card.tags.length > 0 && <Tags tags={card.tags} />}
          {card.skillsMatch !== null && <span>Match {card.skillsMatch}/5</span>}
        </p>
      )}
    </>
  );
}

function Applied({ on }: { on: string | null }) {
  if (!on) return null;
  return (
    <span>
      Applied <time dateTime={on}>{day(on)}</time>
    </span>
  );
}

/** The one thing of an application that matters now. */
interface Matter {
  readonly text: string;
  readonly on?: { readonly date: string; readonly text: string };
  /** `late` is before today, `soon` is today or tomorrow. */
  readonly urgency: 'late' | 'soon' | 'later' | 'waiting';
}

/** What is due first; without a date, what comes next; else how long it waits. */
function matters(card: CardFragment): Matter {
  const open = (card.interviewStages ?? []).filter(({ isCompleted }) => !isCompleted);
  const due: { readonly at: string; readonly text: string; readonly moment?: string }[] = [];
  if (card.offerDueDate && card.status === 'GIVEN_OFFER') due.push({ at: card.offerDueDate, text: 'Answer by ' });
  if (card.nextActionDate) due.push({ at: card.nextActionDate, text: `${card.nextAction ?? 'Next step'}, ` });
  for (const { name, scheduledAt } of open) {
    if (!scheduledAt) continue;
    // One that has taken place, and was not completed, is not what comes next.
    const text = new Date(scheduledAt) < new Date() ? `${name} was ` : `Next: ${name}, `;
    due.push({ at: dateOf(new Date(scheduledAt)), text, moment: scheduledAt });
  }
  const [first] = due.toSorted((one, other) => one.at.localeCompare(other.at));
  if (first) {
    const { at, text, moment = null } = first;
    const urgency = at < today() ? 'late' : at <= daysAfter(today(), 1) ? 'soon' : 'later';
    return { text, on: { date: moment ?? at, text: moment ? when(moment) : dayNear(at) }, urgency };
  }
  if (card.nextAction) return { text: card.nextAction, urgency: 'later' };
  const [next] = open;
  if (next) return { text: `Next: ${next.name}`, urgency: 'later' };
  const stay = card.statusSince && lasting(card.statusSince);
  return { text: stay ? `${stay} in ${STATUS_WORDS[card.status]}` : '', urgency: 'waiting' };
}

/** `tomorrow, 2:30 PM`. */
function when(moment: string | null): string {
  return moment === null ? '' : `${dayNear(dateOf(new Date(moment)))}, ${clock(moment)}`;
}
