// What is known of the node that is selected.

import type { GraphNode } from '../api/data';
import { Icon } from '../ui/icons';

export function NodeFacts({ node, path, onClose }: { node: GraphNode; path: readonly string[]; onClose: () => void }) {
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
      {path.length > 1 && <p>Path: {path.join(' → ')}</p>}
    </section>
  );
}
