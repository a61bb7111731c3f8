// The first page: make something, open something, and what this browser has opened before.

import { useNotices } from 'trestle-web-kit/ui/notices';

import { useAllKnown } from '../api/known';
import { KIND_WORDS, leave } from '../api/opening';
import { ShareableKind, ShareableRole } from '../gql/graphql';
import { hrefOf } from '../route';
import { Icon } from '../ui/icons';
import { OpenForm } from './OpenForm';

export function Start() {
  const list = useAllKnown();
  const notices = useNotices();
  return (
    <main className="page start" id="content" tabIndex={-1}>
      <h1>Share a list, ask a question</h1>
      <p className="lead">Friends open it by a link. Nobody needs an account.</p>
      <div className="makers">
        <a className="maker" href="#/new/checklist">
          <Icon name="list" />
          <b>New checklist</b>
          <span>To pack, to buy, to do: everyone ticks the same list.</span>
        </a>
        <a className="maker" href="#/new/poll">
          <Icon name="poll" />
          <b>New poll</b>
          <span>A day, a place, a pizza: everyone has one vote.</span>
        </a>
      </div>
      <section className="panel" aria-labelledby="open-title">
        <h2 id="open-title">Open one that was shared with you</h2>
        <OpenForm />
      </section>
      {list.length > 0 && (
        <section className="panel" aria-labelledby="known-title">
          <h2 id="known-title">Opened in this browser</h2>
          <ul className="known">
            {list.map(({ shortId, name, kind, role }) => (
              <li key={shortId}>
                <a href={hrefOf(shortId)}>
                  <Icon name={kind === ShareableKind.Poll ? 'poll' : 'list'} />
                  <span className="grow">
                    <b dir="auto">{name}</b>
                    <span className="quiet">
                      {KIND_WORDS[kind]} {shortId}
                      {role === ShareableRole.Admin && ', yours'}
                    </span>
                  </span>
                </a>
                <button
                  type="button"
                  className="bare"
                  aria-label={`Forget ${name}`}
                  onClick={() => {
                    const own = role === ShareableRole.Admin;
                    if (own && !window.confirm(`Without the admin passcode you cannot change “${name}” any more. Forget it?`)) return;
                    void leave(shortId).then(() => notices.say(`${name} is forgotten in this browser`));
                  }}
                >
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}
