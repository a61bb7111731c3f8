// The findings by severity. Each brings its node, and the way to it from the internet, to the middle of the picture.

import { useState } from 'react';
import { number } from 'trestle-web-kit/ui/dates';

import type { Finding } from '../api/data';
import { FindingSeverity } from '../gql/graphql';
import { Message } from '../ui/Message';
import { SEVERITY_WORDS } from '../ui/words';

export function Findings({
  findings,
  undecided,
  selected,
  chosen,
  onSelect,
}: {
  findings: readonly Finding[] | null;
  /** How many things the files do not decide: no finding is no proof as long as there are any. */
  undecided: number;
  selected: string | null;
  /** The finding that was chosen; nothing if its node was. */
  chosen: Finding | null;
  onSelect: (finding: Finding) => void;
}) {
  const [hidden, setHidden] = useState<readonly FindingSeverity[]>([]);
  if (!findings) return <section className="panel"><h2>Findings</h2><p>The run has no report.</p></section>;
  const shown = findings.filter(({ severity }) => !severity || !hidden.includes(severity));
  const count = (severity: FindingSeverity) => findings.filter((each) => each.severity === severity).length;
  return (
    <section className="panel" aria-labelledby="findings-title">
      <h2 id="findings-title">
        {number(findings.length)} {findings.length === 1 ? 'finding' : 'findings'}
      </h2>
      {undecided > 0 && (
        <p className="quiet">
          {number(undecided)} more {undecided === 1 ? 'is' : 'are'} not decided by the files: see “Not decided” below.
        </p>
      )}
      <div className="severities">
        {Object.values(FindingSeverity)
          .toSorted((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))
          .map((each) => (
            <button
              key={each}
              type="button"
              className="button"
              aria-pressed={!hidden.includes(each)}
              onClick={() => setHidden(hidden.includes(each) ? hidden.filter((other) => other !== each) : [...hidden, each])}
            >
              {SEVERITY_WORDS[each]} {number(count(each))}
            </button>
          ))}
      </div>
      <ul className="findings">
        {shown.map((finding, at) => (
          <li key={`${finding.rule} ${finding.nodeId} ${at}`}>
            <button
              type="button"
              aria-current={chosen ? finding === chosen : finding.nodeId === selected}
              data-severity={finding.severity}
              onClick={() => onSelect(finding)}
            >
              <span>
                <b>{finding.severity ? SEVERITY_WORDS[finding.severity] : 'Unknown severity'}</b>{' '}
                <span className="quiet">{finding.rule}</span>
              </span>
              <span>
                <Message text={finding.message} />
              </span>
              <span className="quiet place">
                {finding.nodeId}
                {finding.file && `, ${finding.file}${finding.line ? `:${finding.line}` : ''}`}
              </span>
              {finding === chosen && finding.remedy && (
                <span className="remedy">
                  <Message text={finding.remedy} />
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const ORDER: readonly FindingSeverity[] = [FindingSeverity.High, FindingSeverity.Medium, FindingSeverity.Low];
