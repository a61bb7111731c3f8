// The server's picture as data, so that the page can draw it in its own colours and mark parts of it.

export interface Shape {
  readonly id: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly d: string;
  readonly isDashed: boolean;
  /** The ids of the nodes at its ends; empty if it ends elsewhere. */
  readonly from: string;
  readonly to: string;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
  readonly lines: readonly Line[];
}

/** Reads an SVG image in which each node is a group of title, rectangle and text, and each edge is a path. */
export function drawingOf(svg: string): Drawing {
  const { documentElement: root } = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/\s+/u).map(Number);
  const shapes = [...root.querySelectorAll('g')].flatMap((group) => shapeOf(group) ?? []);
  if (shapes.length === 0 || !(width > 0) || !(height > 0)) throw new Error('The picture is in a form that this page does not know.');
  const starts = new Map(shapes.map(({ id, x, y, width: w, height: h }) => [place(x + w, y + h / 2), id]));
  const ends = new Map(shapes.map(({ id, x, y, height: h }) => [place(x, y + h / 2), id]));
  const lines = [...root.children].flatMap((child) => {
    const d = child.tagName === 'path' ? child.getAttribute('d') : null;
    if (!d) return [];
    const numbers = (d.match(/-?\d+(?:\.\d+)?/gu) ?? []).map(Number);
    const from = starts.get(place(numbers[0] ?? 0, numbers[1] ?? 0)) ?? '';
    const to = ends.get(place(numbers.at(-2) ?? 0, numbers.at(-1) ?? 0)) ?? '';
    return [{ d, isDashed: child.hasAttribute('stroke-dasharray'), from, to }];
  });
  return { width, height, shapes, lines };
}

function place(x: number, y: number): string {
  return `${Math.round(x)} ${Math.floor(y)}`;
}

function shapeOf(group: Element): Shape | null {
  const [title, rect, text] = ['title', 'rect', 'text'].map((name) => group.querySelector(`:scope > ${name}`));
  const id = title?.textContent;
  if (!id || !rect) return null;
  const value = (name: string) => Number(rect.getAttribute(name) ?? 0);
  return { id, label: text?.textContent ?? id, x: value('x'), y: value('y'), width: value('width'), height: value('height') };
}
