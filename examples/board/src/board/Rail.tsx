// The closed statuses, folded: each with its total, and a place to drop a card.

import { number } from 'trestle-web-kit/ui/dates';

import { CLOSED } from '../api/lists';
import type { ApplicationStatus } from '../gql/graphql';
import { STATUS_WORDS } from '../ui/words';

export function Rail({
  totals,
  over,
  onUnfold,
}: {
  totals: ReadonlyMap<ApplicationStatus, number>;
  /** The column that a lifted card is over. */
  over: ApplicationStatus | null;
  onUnfold: (status: ApplicationStatus) => void;
}) {
  return (
    <section className="rail" aria-label="Closed">
      <header>
        <h2>Closed</h2>
        <span className="total">
          {totals.size > 0 && number(CLOSED.reduce((sum, status) => sum + (totals.get(status) ?? 0), 0))}
        </span>
      </header>
      <ul>
        {CLOSED.map((status) => (
          <Closed key={status} status={status} total={totals.get(status) ?? null} isOver={over === status} onUnfold={onUnfold} />
        ))}
      </ul>
    </section>
  );
}

function Closed({
  status,
  total,
  isOver,
  onUnfold,
}: {
  status: ApplicationStatus;
  total: number | null;
  isOver: boolean;
  onUnfold: (status: ApplicationStatus) => void;
}) {
  return (
    <li id={`column-${status}`} className={isOver ? 'over' : undefined}>
      <button type="button" title={`Show ${STATUS_WORDS[status]}`} onClick={() => onUnfold(status)}>
        <i className="dot" data-status={status} />
        <span>{STATUS_WORDS[status]}</span>
        <span className="total">{total !== null && number(total)}</span>
      </button>
    </li>
  );
}
