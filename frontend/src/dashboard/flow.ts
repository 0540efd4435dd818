/** The flow of a study as a drawing: a stream of everybody who came, arms of those who went, and who arrived. */

import { freshId, h } from "../shared/dom";
import type { Flow, Kind } from "./desk";

type Stop = Exclude<keyof Flow, "recruited">;

const ARMS: readonly (readonly [Stop, string])[] = [
  ["declined", "Declined"],
  ["screened_out", "Screened out"],
  ["left", "Left"],
  ["active", "Under way"],
  ["excluded_by_rule", "Excluded by rule"],
  ["excluded_by_hand", "Excluded by hand"],
];
const [WIDTH, HEIGHT] = [920, 124];
const STREAM = { left: 100, right: 802, top: 6, depth: 44 };
const ARM = { first: 172, apart: 114, turn: 30, end: 82 };
const THINNEST = 2;

/** Draws the flow of one kind of people; the same stands beside it in words. */
export function flowFigure(flow: Flow, kind: Kind): HTMLElement {
  const pattern = freshId("stream");
  const scale = flow.recruited > 0 ? STREAM.depth / flow.recruited : 0;
  const drawing = svg("svg", { class: "flow", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }, hatching(pattern));
  let depth = STREAM.depth;
  let from = STREAM.left;
  if (flow.recruited === 0) drawing.append(svg("rect", { class: "none", x: from, y: STREAM.top, width: STREAM.right - from, height: THINNEST }));
  ARMS.forEach(([stop, label], place) => {
    const at = ARM.first + place * ARM.apart;
    const share = flow[stop] * scale;
    drawing.append(...arm(stop, at, STREAM.top + depth, share));
    drawing.append(band(from, at - ARM.turn, depth, flow.recruited), ...figures({ stop, n: flow[stop], label, x: at, y: 99, anchor: "middle" }));
    depth -= share;
    from = at - ARM.turn;
  });
  drawing.append(
    band(from, STREAM.right, depth, flow.recruited),
    ...figures({ stop: "recruited", n: flow.recruited, label: "Recruited", x: 2, y: 25, anchor: "start" }),
    ...figures({ stop: "completed", n: flow.completed, label: "Completed", x: STREAM.right + 14, y: 25, anchor: "start" }),
  );
  if (kind === "synthetic") for (const one of drawing.querySelectorAll(".band")) one.setAttribute("fill", `url(#${pattern})`);
  return h("figure", { class: "flow-figure", "data-flow": kind }, drawing, h("figcaption", { class: "visually-hidden" }, flowInWords(flow, kind)));
}

/** Tells the flow in one sentence, for those who cannot see it. */
export function flowInWords(flow: Flow, kind: Kind): string {
  const who = kind === "synthetic" ? "simulated people" : "people";
  const gone = ARMS.map(([stop, label]) => `${flow[stop]} ${label.toLowerCase()}`);
  return `Flow of ${who}: ${flow.recruited} recruited, ${gone.join(", ")}, ${flow.completed} completed.`;
}

/** The stream between two arms; where nobody is left it is not drawn. */
function band(from: number, to: number, depth: number, recruited: number): SVGElement {
  const isEmpty = recruited === 0 || depth < 1e-6;
  return svg("rect", { class: "band", x: from, y: STREAM.top, width: to - from, height: isEmpty ? 0 : Math.max(THINNEST, depth) });
}

/** An arm leaves the lower edge of the stream and turns down; nobody is a dotted line. */
function arm(stop: Stop, x: number, bottom: number, share: number): SVGElement[] {
  if (share === 0) return [svg("path", { class: "none", d: `M ${x} ${bottom + 5} V ${ARM.end}` })];
  const width = Math.max(THINNEST, share);
  const [near, far, top] = [x - width / 2, x + width / 2, bottom - width];
  const start = x - ARM.turn;
  const path = `M ${start} ${top} C ${far} ${top} ${far} ${top} ${far} ${ARM.end} H ${near} C ${near} ${bottom} ${near} ${bottom} ${start} ${bottom} Z`;
  return [svg("path", { class: `arm is-${stop}`, d: path })];
}

interface Figures {
  readonly stop: keyof Flow;
  readonly n: number;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "middle";
}

function figures({ stop, n, label, x, y, anchor }: Figures): SVGElement[] {
  const place = { x, "text-anchor": anchor };
  return [
    svg("text", { ...place, class: n > 0 ? "n" : "n is-none", y, "data-stop": stop }, String(n)),
    svg("text", { ...place, class: "label", y: y + 18 }, label),
  ];
}

function hatching(id: string): SVGElement {
  const tile = svg("pattern", { id, width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  tile.append(svg("rect", { class: "hatch", width: 9, height: 9 }), svg("rect", { class: "hatch is-light", width: 3, height: 9 }));
  return svg("defs", {}, tile);
}

function svg(tag: string, properties: Readonly<Record<string, string | number>>, ...children: (Node | string)[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
