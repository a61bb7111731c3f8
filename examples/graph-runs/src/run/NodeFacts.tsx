// What is known of the node that is selected.

import type { Finding, GraphNode } from '../api/data';
import { Icon } from '../ui/icons';
import { Message } from '../ui/Message';
import { SEVERITY_WORDS } from '../ui/words';

export function NodeFacts({
  node,
  finding,
  path,
  onClose,
  onBack,
}: {
  node: GraphNode;
  /** The finding that was chosen, if it was one. */
  finding: Finding | null;
  /** From the first node that the internet reaches. */
  path: readonly string[];
  onClose: () => void;
  /** Goes back to the list, where it is out of sight. */
  onBack: () => void;
}) {
  const { nodeId, type, kind, file, line, instances, datastore, internetExposed, unresolved } = node;
  const facts = [
    internetExposed && 'The internet reaches it.',
    unresolved && 'The files do not decide whether the internet reaches it.',
    datastore && 'It stores data.',
    (instances ?? 1) !== 1 && `It stands for ${instances} instances.`,
  ].filter(Boolean);
  return (
    <section className="panel facts" aria-label="Selected node" aria-live="polite">
      <div className="dialog-bar">
        <h2>{nodeId}</h2>
        <button type="button" className="bare" aria-label="Deselect" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <p className="quiet">
        {[kind, type, file && `${file}${line ? `:${line}` : ''}`].filter(Boolean).join(', ')}
      </p>
      {facts.length > 0 && <p>{facts.join(' ')}</p>}
      {finding && (
        <p data-severity={finding.severity}>
          <b>{finding.severity ? SEVERITY_WORDS[finding.severity] : 'Unknown severity'}:</b> <Message text={finding.message} />
          {finding.remedy && (
            <>
              {' '}
              <Message text={finding.remedy} />
            </>
          )}
        </p>
      )}
      {path.length > 0 && <p className="place">Path: {['Internet', ...path].join(' → ')}</p>}
      <button type="button" className="link back" onClick={onBack}>
        Back to the list
      </button>
    </section>
  );
}
