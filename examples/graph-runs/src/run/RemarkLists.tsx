// What a report has beside its findings: what is not decided, what the author should correct, and what was not read.

import type { ReactNode } from 'react';
import { number } from 'trestle-web-kit/ui/dates';

import { Message } from '../ui/Message';
import type { Remarks } from './read';

export function RemarkLists({
  remarks,
  selected,
  onSelect,
}: {
  /** Or why they are not known. */
  remarks: Remarks | string;
  selected: string | null;
  onSelect: (nodeId: string) => void;
}) {
  if (typeof remarks === 'string') {
    return (
      <section className="panel">
        <h2>Not decided</h2>
        <p>{remarks}</p>
      </section>
    );
  }
  const { undecided, warnings, unread } = remarks;
  return (
    <>
      <Remarked title="Not decided" count={undecided.length}>
        {undecided.map(({ node, message, rule }, at) => (
          <li key={at}>
            <button type="button" aria-current={node === selected} data-look="unresolved" onClick={() => onSelect(node)}>
              <span className="quiet">{rule}</span>
              <span>
                <Message text={message} />
              </span>
              <span className="quiet place">{node}</span>
            </button>
          </li>
        ))}
      </Remarked>
      <Remarked title="Warnings" count={warnings.length}>
        {warnings.map(({ file, line, message }, at) => (
          <li key={at}>
            <Message text={message} />{' '}
            <span className="quiet place">
              {file}:{line}
            </span>
          </li>
        ))}
      </Remarked>
      <Remarked title="Not read" count={unread.length}>
        {unread.map(({ file, reason }) => (
          <li key={file}>
            <Message text={reason} /> <span className="quiet place">{file}</span>
          </li>
        ))}
      </Remarked>
    </>
  );
}

function Remarked({ title, count, children }: { title: string; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <section className="panel" aria-label={title}>
      <h2>
        {title}: {number(count)}
      </h2>
      <ul className="findings">{children}</ul>
    </section>
  );
}
