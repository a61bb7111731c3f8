// What is shown once after something was made: its link, its passcodes, and the personal links.

import { linkOf } from '../route';
import { Copy } from './Copy';
import { LinkForOthers, OnlyHere } from './Links';

export interface MadeSecrets {
  readonly shortId: string;
  readonly name: string;
  readonly admin: string;
  readonly view: string;
  readonly links: readonly { readonly name: string; readonly secret: string }[];
}

export function Made({ shortId, name, admin, view, links, onDone }: MadeSecrets & { onDone: () => void }) {
  const link = linkOf(shortId, { kind: 'passcode', text: view }, name);
  return (
    <main className="page" id="content" tabIndex={-1}>
      <h1>“{name}” is ready</h1>
      {links.length === 0 ? (
        <section className="panel shared">
          <h2>For friends</h2>
          <LinkForOthers name={name} link={link} />
          <p className="quiet">
            Or they type the short id <b>{shortId}</b> and the passcode <b className="code">{view}</b>.
          </p>
        </section>
      ) : (
        <section className="panel">
          <h2>A link for each person</h2>
          <OnlyHere />
          <p>These links are shown this once. Whoever has one votes as this person.</p>
          {links.map((each) => (
            <Copy key={each.secret} label={each.name} text={linkOf(shortId, { kind: 'invitation', text: each.secret }, name)} />
          ))}
        </section>
      )}
      <section className="panel">
        <h2>For you alone</h2>
        <p>This browser stays signed in for 30 days. Anywhere else you need the admin passcode, which is shown this once:</p>
        <Copy label="Admin passcode" text={admin} />
      </section>
      <div className="buttons">
        <button type="button" className="button primary" onClick={onDone}>
          Open it
        </button>
      </div>
    </main>
  );
}
