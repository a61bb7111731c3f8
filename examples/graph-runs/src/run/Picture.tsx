// The graph, to pan and to zoom by mouse, touch and keys.

import { type KeyboardEvent, useEffect, useRef } from 'react';

import type { GraphNode } from '../api/data';
import { Icon } from '../ui/icons';
import { moduleOf } from '../ui/words';
import type { Drawing } from './drawing';
import { Way, isOnWay } from './Way';
import { usePanZoom } from './panZoom';

/** What stands out. */
export interface Marked {
  readonly selected: string | null;
  /** The nodes on the way from the internet to what is selected, in their order. */
  readonly path: readonly string[];
  /** The module whose nodes stand out; empty for the root module, nothing for all. */
  readonly module: string | null;
  /** Whether only what the internet reaches stands out. */
  readonly exposedOnly: boolean;
}

/** How a node looks: the most urgent of what is known about it, as in the server's picture. */
export function lookOf(node: GraphNode | undefined): 'exposed' | 'unresolved' | 'datastore' | 'plain' {
  if (node?.internetExposed) return 'exposed';
  if (node?.unresolved) return 'unresolved';
  return node?.datastore ? 'datastore' : 'plain';
}

const STEP = 60;

export function Picture({
  drawing,
  nodes,
  marked,
  onSelect,
}: {
  drawing: Drawing;
  nodes: readonly GraphNode[];
  marked: Marked;
  onSelect: (nodeId: string) => void;
}) {
  const { width, height, shapes, lines } = drawing;
  const { frame, view, moved, pan, zoom, fit, centre, handlers } = usePanZoom(width, height);
  const byId = useRef(new Map<string, GraphNode>());
  byId.current = new Map(nodes.map((node) => [node.nodeId, node]));
  const { selected, path, module, exposedOnly } = marked;

  // What is selected comes to the middle, where it can be read; so does the way to it, as soon as it is known.
  useEffect(() => {
    const shape = shapes.find(({ id }) => id === selected);
    if (shape) centre(shape, shapes.filter(({ id }) => path.includes(id)));
  }, [selected, path, shapes, centre]);

  const KEYS: Record<string, () => void> = {
    ArrowLeft: () => pan(-STEP, 0),
    ArrowRight: () => pan(STEP, 0),
    ArrowUp: () => pan(0, -STEP),
    ArrowDown: () => pan(0, STEP),
    '+': () => zoom(1.3),
    '=': () => zoom(1.3),
    '-': () => zoom(1 / 1.3),
    '0': fit,
  };
  function onKeyDown(event: KeyboardEvent) {
    const run = KEYS[event.key];
    if (!run || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    run();
  }

  const isHidden = (id: string) => exposedOnly && !byId.current.get(id)?.internetExposed && !path.includes(id);
  const isDim = (id: string) => (module !== null && moduleOf(id) !== module) || isHidden(id);
  return (
    <div className="picture">
      <div
        ref={frame}
        className="frame"
        role="application"
        tabIndex={0}
        aria-label="Picture of the graph. Arrow keys move it, plus and minus zoom, 0 fits it. The nodes are also in the list."
        onKeyDown={onKeyDown}
        {...handlers}
      >
        <svg viewBox={view} aria-hidden="true" preserveAspectRatio="xMidYMid meet">
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">
              <path d="M0 0L8 4L0 8z" />
            </marker>
          </defs>
          {lines.map(({ d, isDashed, from, to }, at) => (
            <path
              key={at}
              d={d}
              className="line"
              data-dashed={isDashed}
              data-on={isOnWay(path, from, to)}
              data-dim={isDim(from) || isDim(to)}
              markerEnd="url(#arrow)"
            />
          ))}
          {shapes.map(({ id, label, x, y, width: w, height: h }) => (
            <g
              key={id}
              className="shape"
              data-node={id}
              data-look={lookOf(byId.current.get(id))}
              data-store={byId.current.get(id)?.datastore}
              data-on={path.includes(id)}
              data-selected={id === selected}
              data-dim={isDim(id)}
              onClick={() => !moved() && onSelect(id)}
            >
              <title>{id}</title>
              <rect x={x} y={y} width={w} height={h} rx={4} />
              <text x={x + 8} y={y + h / 2 + 4}>
                {label}
              </text>
            </g>
          ))}
          <Way path={path} drawing={drawing} />
        </svg>
      </div>
      <div className="zooms">
        <button type="button" className="bare" aria-label="Zoom in" onClick={() => zoom(1.3)}>
          <Icon name="plus" />
        </button>
        <button type="button" className="bare" aria-label="Zoom out" onClick={() => zoom(1 / 1.3)}>
          <Icon name="minus" />
        </button>
        <button type="button" className="bare" aria-label="Show all" onClick={fit}>
          <Icon name="fit" />
        </button>
      </div>
    </div>
  );
}
