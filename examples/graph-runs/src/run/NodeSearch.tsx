// Finds a node by a part of its address: for a large graph, and for those who do not see the picture.

import { useState } from 'react';
import { number } from 'trestle-web-kit/ui/dates';

import type { GraphNode } from '../api/data';
import { lookOf } from './Picture';

/** Nodes that are listed at once. */
const SHOWN = 50;

export function NodeSearch({
  nodes,
  selected,
  onSelect,
}: {
  nodes: readonly GraphNode[];
  selected: string | null;
  onSelect: (nodeId: string) => void;
}) {
  const [text, setText] = useState('');
  const found = nodes.filter(({ nodeId }) => nodeId.toLowerCase().includes(text.trim().toLowerCase()));
  return (
    <section className="panel" aria-labelledby="nodes-title">
      <h2 id="nodes-title">
        {number(nodes.length)} {nodes.length === 1 ? 'node' : 'nodes'}
      </h2>
      <input
        type="search"
        className="find"
        aria-label="Find a node"
        placeholder="Find a node"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <ul className="findings">
        {found.slice(0, SHOWN).map((node) => (
          <li key={node.nodeId}>
            <button type="button" aria-current={node.nodeId === selected} onClick={() => onSelect(node.nodeId)}>
              <span className="place">
                <i className="swatch" data-look={lookOf(node)} aria-hidden="true" /> {node.nodeId}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {found.length > SHOWN && <p className="quiet">and {number(found.length - SHOWN)} more</p>}
    </section>
  );
}
