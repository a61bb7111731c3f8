// What the colours mean, and the modules, each of which can be made to stand out.

import { number } from 'trestle-web-kit/ui/dates';

import type { GraphNode } from '../api/data';
import { moduleOf } from '../ui/words';
import { lookOf } from './Picture';

/** The looks, and what they say of a node. One that stores data and is reached has the look of what is reached, and is both. */
const LOOKS = [
  ['exposed', 'The internet reaches it', (node: GraphNode) => node.internetExposed],
  ['unresolved', 'Not decided by the files', (node: GraphNode) => node.unresolved],
  ['datastore', 'Stores data', (node: GraphNode) => node.datastore],
  ['plain', 'Anything else', (node: GraphNode) => lookOf(node) === 'plain'],
] as const;

export function Legend({
  nodes,
  module,
  onModule,
  exposedOnly,
  onExposedOnly,
}: {
  nodes: readonly GraphNode[];
  module: string | null;
  onModule: (module: string | null) => void;
  exposedOnly: boolean;
  onExposedOnly: (only: boolean) => void;
}) {
  const modules = [...new Set(nodes.map(({ nodeId }) => moduleOf(nodeId)))].toSorted();
  const count = (fits: (node: GraphNode) => boolean) => number(nodes.filter(fits).length);
  return (
    <div className="legend">
      <ul aria-label="Legend">
        {LOOKS.map(([look, words, fits]) => (
          <li key={look}>
            <i className="swatch" data-look={look} aria-hidden="true" /> {words} ({count(fits)})
          </li>
        ))}
        <li>
          <i className="swatch dashes" aria-hidden="true" /> depends_on
        </li>
      </ul>
      <button type="button" className="button" aria-pressed={exposedOnly} onClick={() => onExposedOnly(!exposedOnly)}>
        Only what is exposed
      </button>
      {modules.length > 1 && (
        <div className="modules" role="group" aria-label="Modules">
          {modules.map((each) => (
            <button
              key={each}
              type="button"
              className="button"
              aria-pressed={module === each}
              onClick={() => onModule(module === each ? null : each)}
            >
              {each || 'Root module'} ({count(({ nodeId }) => moduleOf(nodeId) === each)})
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
