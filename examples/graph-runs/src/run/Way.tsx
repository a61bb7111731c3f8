// The way from the internet to what is selected, as far as the picture does not have it: where it comes in, and the steps
// that no line stands for.

import type { Drawing, Shape } from './drawing';

/** How far the mark of the internet is from the node that it reaches, and its radius. */
const DISTANCE = 36;
const RADIUS = 10;

/** Whether the way takes a line, in either direction. */
export function isOnWay(path: readonly string[], from: string, to: string): boolean {
  return path.some((id, at) => (id === from && path[at + 1] === to) || (id === to && path[at + 1] === from));
}

function middle({ x, y, width, height }: Shape) {
  return { x: x + width / 2, y: y + height / 2 };
}

export function Way({ path, drawing: { shapes, lines } }: { path: readonly string[]; drawing: Drawing }) {
  const [first] = path;
  const shapeOf = (id: string) => shapes.find((shape) => shape.id === id);
  const entry = first ? shapeOf(first) : undefined;
  const steps = path.slice(1).map((to, at) => [path[at] ?? '', to] as const);
  const missing = steps.filter(
    ([from, to]) => !lines.some((line) => (line.from === from && line.to === to) || (line.from === to && line.to === from)),
  );
  return (
    <>
      {missing.map(([from, to]) => {
        const [start, end] = [shapeOf(from), shapeOf(to)];
        if (!start || !end) return null;
        const [one, other] = [middle(start), middle(end)];
        return <path key={`${from} ${to}`} className="line" data-on="true" d={`M${one.x} ${one.y}L${other.x} ${other.y}`} />;
      })}
      {entry && (
        <g className="internet">
          <path
            className="line"
            data-on="true"
            d={`M${entry.x - DISTANCE + RADIUS} ${entry.y + entry.height / 2}H${entry.x}`}
            markerEnd="url(#arrow)"
          />
          <circle cx={entry.x - DISTANCE} cy={entry.y + entry.height / 2} r={RADIUS} />
          <text x={entry.x - DISTANCE} y={entry.y + entry.height / 2 - RADIUS - 4} textAnchor="middle">
            Internet
          </text>
        </g>
      )}
    </>
  );
}
