// The part of a drawing that a frame shows: moved by dragging, zoomed by the wheel and by two fingers.

import { type PointerEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';

interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The smallest part that is shown, in units of the drawing, so that text stays text. */
const SMALLEST = 120;
/** The room around what is centred, and at the ends of a node that fills the frame. */
const ROOM = 60;
const MARGIN = 8;
/** The width to which what is centred is not zoomed in any further. */
const COMFORTABLE = 700;
/** The height of text, in units of the drawing. */
const TEXT = 11;
/** The height that the text of what is centred has at least, in pixels; and if it does not fit into the frame so. */
const LEGIBLE = 13;
const SMALL = 9;
/** A pointer that moved less has clicked, in pixels. */
const CLICK = 4;

/** The smallest part with all of these. */
function boundsOf(parts: readonly Part[]): Part {
  const [x, y] = [Math.min(...parts.map((part) => part.x)), Math.min(...parts.map((part) => part.y))];
  const right = Math.max(...parts.map((part) => part.x + part.width));
  const bottom = Math.max(...parts.map((part) => part.y + part.height));
  return { x, y, width: right - x, height: bottom - y };
}

export function usePanZoom(width: number, height: number) {
  const frame = useRef<HTMLDivElement>(null);
  const whole = useMemo<Part>(() => ({ x: -10, y: -10, width: width + 20, height: height + 20 }), [width, height]);
  const [part, setPart] = useState<Part>(whole);
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const way = useRef(0);

  /** Units of the drawing for each pixel. */
  const scale = useCallback((now: Part) => {
    const { clientWidth = 1, clientHeight = 1 } = frame.current ?? {};
    return Math.max(now.width / Math.max(clientWidth, 1), now.height / Math.max(clientHeight, 1));
  }, []);
  const pan = useCallback(
    (dx: number, dy: number) => setPart((now) => ({ ...now, x: now.x + dx * scale(now), y: now.y + dy * scale(now) })),
    [scale],
  );
  /** By a factor, around a place of the window or the middle. */
  const zoom = useCallback(
    (factor: number, at?: { x: number; y: number }) =>
      setPart((now) => {
        const most = Math.max(whole.width, whole.height) * 3;
        const next = Math.min(Math.max(now.width / factor, SMALLEST), most);
        const by = next / now.width;
        const box = frame.current?.getBoundingClientRect();
        const middle = { x: now.x + now.width / 2, y: now.y + now.height / 2 };
        const fixed =
          at && box
            ? {
                x: middle.x + (at.x - box.left - box.width / 2) * scale(now),
                y: middle.y + (at.y - box.top - box.height / 2) * scale(now),
              }
            : middle;
        return {
          x: fixed.x - (fixed.x - now.x) * by,
          y: fixed.y - (fixed.y - now.y) * by,
          width: next,
          height: now.height * by,
        };
      }),
    [whole, scale],
  );
  const fit = useCallback(() => setPart(whole), [whole]);
  /** Brings a shape to the middle, with the whole way to it if its text can be read then. */
  const centre = useCallback((shape: Part, way: readonly Part[]) => {
    const { clientWidth = 4, clientHeight = 3 } = frame.current ?? {};
    const ratio = clientHeight / Math.max(clientWidth, 1);
    /** The width, in units of the drawing, at which text is so high. */
    const widthFor = (text: number) => (clientWidth * TEXT) / text;
    const around = ({ width: w, height: h }: Part, room: number) => Math.max(w + 2 * room, (h + 2 * room) / ratio);
    const all = boundsOf([shape, ...way]);
    const fits = around(all, ROOM) <= widthFor(SMALL);
    const box = fits ? all : shape;
    const wanted = Math.min(around(box, fits ? ROOM : MARGIN), widthFor(SMALL));
    const w = Math.max(wanted, Math.min(COMFORTABLE, widthFor(LEGIBLE)), SMALLEST);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    setPart({ x: x - w / 2, y: y - (w * ratio) / 2, width: w, height: w * ratio });
  }, []);

  // React listens for wheels passively, and the page would scroll as well.
  useEffect(() => {
    const element = frame.current;
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), { x: event.clientX, y: event.clientY });
    };
    element?.addEventListener('wheel', turn, { passive: false });
    return () => element?.removeEventListener('wheel', turn);
  }, [zoom]);

  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (pointers.current.size === 1) way.current = 0;
    },
    onPointerMove: (event: PointerEvent) => {
      const before = pointers.current.get(event.pointerId);
      if (!before) return;
      const now = { x: event.clientX, y: event.clientY };
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const far = (one: { x: number; y: number }) => Math.hypot(one.x - other.x, one.y - other.y);
        zoom(far(now) / Math.max(far(before), 1), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
      } else {
        pan(before.x - now.x, before.y - now.y);
      }
      way.current += Math.hypot(now.x - before.x, now.y - before.y);
      // Only what is dragged is captured: the click of a captured pointer would miss the node.
      if (way.current > CLICK) frame.current?.setPointerCapture(event.pointerId);
      pointers.current.set(event.pointerId, now);
    },
    onPointerUp: (event: PointerEvent) => void pointers.current.delete(event.pointerId),
    onPointerCancel: (event: PointerEvent) => void pointers.current.delete(event.pointerId),
    onPointerLeave: (event: PointerEvent) => {
      if (way.current <= CLICK) pointers.current.delete(event.pointerId);
    },
  };
  const view = `${part.x} ${part.y} ${part.width} ${part.height}`;
  /** Whether the pointer has moved the drawing, so that its click is none. */
  const moved = () => way.current > CLICK;
  return { frame, view, moved, pan, zoom, fit, centre, handlers };
}
