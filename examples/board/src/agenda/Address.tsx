// The secret address at which a calendar program subscribes to the agenda. It is shown once: the server keeps no more than its
// hash.

import { useMutation, useQuery } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { moment } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { useReason } from '../api/reason';
import { graphql } from '../gql';
import { useAway } from '../ui/away';
import { Icon } from '../ui/icons';
import { Sure } from '../ui/Sure';
import { said } from '../ui/words';

const AddressDocument = graphql(`
  query CalendarAddress {
    calendarAddress {
      alarms
      createdAt
    }
  }
`);

const Create = graphql(`
  mutation CreateCalendarAddress($input: CreateCalendarAddressInput!) {
    made: createCalendarAddress(input: $input) {
      path
      url
      userErrors {
        code
        message
      }
    }
  }
`);

const Renew = graphql(`
  mutation RenewCalendarAddress($input: RenewCalendarAddressInput!) {
    made: renewCalendarAddress(input: $input) {
      path
      url
      userErrors {
        code
        message
      }
    }
  }
`);

const Revoke = graphql(`
  mutation RevokeCalendarAddress($input: RevokeCalendarAddressInput!) {
    revokeCalendarAddress(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

interface Made {
  readonly path: string | null;
  readonly url: string | null;
  readonly userErrors: readonly { readonly code: string; readonly message: string }[];
}

export function Address() {
  const notices = useNotices();
  // Read again after a change, it must not share the answer of a request that was sent before.
  const { data, error, refetch } = useQuery(AddressDocument, {
    fetchPolicy: 'cache-and-network',
    context: { queryDeduplication: false },
  });
  const reason = useReason(error);
  // Each of these would do something else the second time.
  const once = { context: { once: true }, fetchPolicy: 'no-cache' } as const;
  const [create] = useMutation(Create, once);
  const [renew] = useMutation(Renew, once);
  const [revoke] = useMutation(Revoke, once);
  const [alarms, setAlarms] = useState(true);
  const [busy, setBusy] = useState(false);
  /** The address, as long as it is known. */
  const [address, setAddress] = useState<string | null>(null);
  const away = useAway() !== null;
  const there = data?.calendarAddress;

  async function during(work: () => Promise<Made | { readonly userErrors: Made['userErrors'] } | null | undefined>) {
    setBusy(true);
    try {
      const made = await work();
      const problem = made?.userErrors.map(({ message }) => said(message)).join(' ');
      if (problem) notices.warn(problem);
      if (made && 'path' in made && !problem) {
        setAddress(made.url ?? (made.path && new URL(made.path, window.location.href).href));
      }
      if (made && !('path' in made) && !problem) setAddress(null);
    } catch {
      notices.warn('This could not be done: the server does not answer.');
    }
    await refetch().catch(() => {});
    setBusy(false);
  }

  const since = there ? { createdAt: there.createdAt } : {};
  return (
    <section id="calendar" tabIndex={-1} className="address" aria-labelledby="address-title">
      <h2 id="address-title">In your calendar</h2>
      {reason !== null && <p role="alert">Whether there is an address could not be read{reason}.</p>}
      {address ? (
        <Shown address={address} />
      ) : (
        <p className="quiet">
          {there
            ? `There has been an address since ${moment(there.createdAt)}${there.alarms ? ', with alarms' : ''}. It was shown when it was made: renew it to see another one.`
            : 'With a secret address, the calendar of your phone or computer shows interviews, next steps and offers to answer, and stays up to date.'}
        </p>
      )}
      <div className="buttons writes">
        {data && !there && (
          <>
            <label className="tick-label">
              <input type="checkbox" checked={alarms} onChange={({ target }) => setAlarms(target.checked)} /> With alarms
            </label>
            <button
              type="button"
              className="button"
              disabled={busy || away}
              onClick={() => void during(async () => (await create({ variables: { input: { alarms } } })).data?.made)}
            >
              <Icon name="calendar" /> Make an address
            </button>
          </>
        )}
        {there && (
          <>
            <Sure
              verb="Renew"
              disabled={busy || away}
              title="Renew the address?"
              text="Calendars that have the present one get nothing from then on."
              onSure={() => void during(async () => (await renew({ variables: { input: since } })).data?.made)}
            >
              Renew
            </Sure>
            <Sure
              verb="Revoke"
              disabled={busy || away}
              title="Revoke the address?"
              text="Calendars that have it get nothing from then on. You can make another one later."
              onSure={() =>
                void during(async () => (await revoke({ variables: { input: since } })).data?.revokeCalendarAddress)
              }
            >
              Revoke
            </Sure>
          </>
        )}
      </div>
      {away && <p className="quiet">This can be changed as soon as the server can be reached.</p>}
    </section>
  );
}

/** The address, which cannot be had again. */
function Shown({ address }: { address: string }) {
  const notices = useNotices();
  const field = useRef<HTMLInputElement>(null);

  async function copy() {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(address);
      notices.say('The address is copied');
    } catch {
      // Only secure pages may write there.
      notices.say('The address is selected: copy it with the keys');
    }
  }

  return (
    <>
      <div className="address-line">
        <input ref={field} readOnly aria-label="Address for calendars" value={address} onFocus={({ target }) => target.select()} />
        <button type="button" className="button" onClick={() => void copy()}>
          <Icon name="copy" /> Copy
        </button>
      </div>
      <p className="quiet">
        Add it to your calendar program as a subscription, or{' '}
        <a href={address.replace(/^https?:/u, 'webcal:')}>open it there</a>. Whoever has it can read your agenda. It is shown
        only now.
      </p>
    </>
  );
}
