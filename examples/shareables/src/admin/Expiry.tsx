// How long a shareable can be opened.

import { dateOf, daysAfter, moment, today } from 'trestle-web-kit/ui/dates';

import type { Checklist, Poll } from '../api/data';
import { graphql } from '../gql';
import { useChange } from './useChange';

const Extend = graphql(`
  mutation Extend($input: ExtendShareableInput!) {
    extendShareable(input: $input) {
      shareable {
        id
        expiresAt
        isExpired
        staysOpen
      }
      userErrors {
        message
      }
    }
  }
`);

/** The latest day that the API takes, from today. */
const LONGEST = 365;

export function Expiry({ shareable }: { shareable: Checklist | Poll }) {
  const { shortId, expiresAt, isExpired, staysOpen } = shareable;
  const { busy, change } = useChange(shortId);
  return (
    <section aria-labelledby="expiry-title">
      <h3 id="expiry-title">Expiry</h3>
      <p className="quiet">
        {isExpired ? 'Expired' : 'Expires'} {moment(expiresAt)}
      </p>
      <form
        className="form inline"
        onSubmit={(event) => {
          event.preventDefault();
          const until = String(new FormData(event.currentTarget).get('until') ?? '');
          const input = { shortId, expiresAt: new Date(`${until}T23:59:00`).toISOString() };
          if (until) void change(Extend, { input }, 'The new date is set');
        }}
      >
        <label>
          <span>Open until the end of</span>
          <input
            key={expiresAt}
            name="until"
            type="date"
            required
            min={today()}
            max={daysAfter(today(), LONGEST)}
            defaultValue={dateOf(new Date(expiresAt))}
          />
        </label>
        <button className="button" disabled={busy}>
          Extend
        </button>
      </form>
      <label className="choice">
        <input
          type="checkbox"
          checked={staysOpen}
          disabled={busy}
          onChange={({ currentTarget }) =>
            void change(Extend, { input: { shortId, staysOpen: currentTarget.checked } }, 'Saved')
          }
        />
        <span>Extend it by a year whenever I open it with the admin passcode</span>
      </label>
    </section>
  );
}
