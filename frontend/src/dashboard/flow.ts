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
const STREAM = { left: 92, right: 812, top: 6, depth: 44 };
const ARM = { first: 160, apart: 120, turn: 30, end: 82 };
const THINNEST = 2;

/** Draws the flow of one kind of people; the same stands beside it in words. */
export function flowFigure(flow: Flow, kind: Kind): HTMLElement {
  const drawing = svg("svg", { class: "flow", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });
  const edge = [`M ${STREAM.left} ${STREAM.top} V ${STREAM.top + STREAM.depth}`];
  let depth = STREAM.depth;
  ARMS.forEach(([stop, label], index) => {
    const at = ARM.first + index * ARM.apart;
    const share = flow.recruited > 0 ? (STREAM.depth * flow[stop]) / flow.recruited : 0;
    drawing.append(
      arm(stop, at, STREAM.top + depth, share),
      ...figures({ stop, n: flow[stop], label, x: at, y: 99, anchor: "middle" }),
    );
    depth -= share;
    edge.push(`H ${at - ARM.turn} V ${STREAM.top + depth}`);
  });
  const end = flow.completed > 0 ? STREAM.right : ARM.first + (ARMS.length - 1) * ARM.apart - ARM.turn;
  const stream = `${edge.join(" ")} H ${end} V ${STREAM.top} Z`;
  drawing.append(
    ...(flow.recruited > 0
      ? poured(stream, kind)
      : [svg("path", { class: "none", d: `M ${STREAM.left} ${STREAM.top + 12} H ${STREAM.right}` })]),
    ...figures({ stop: "recruited", n: flow.recruited, label: "Recruited", x: 2, y: 25, anchor: "start" }),
    ...figures({
      stop: "completed",
      n: flow.completed,
      label: "Completed",
      x: STREAM.right + 12,
      y: 25,
      anchor: "start",
    }),
  );
  return h(
    "figure",
    { class: "flow-figure", "data-flow": kind },
    drawing,
    h("figcaption", { class: "visually-hidden" }, flowInWords(flow, kind)),
  );
}

/** Tells the flow in one sentence, for those who cannot see it. */
export function flowInWords(flow: Flow, kind: Kind): string {
  const who = kind === "synthetic" ? "simulated people" : "people";
  const gone = ARMS.map(([stop, label]) => `${flow[stop]} ${label.toLowerCase()}`);
  return `Flow of ${who}: ${flow.recruited} recruited, ${gone.join(", ")}, ${flow.completed} completed.`;
}

/** The stream itself, hatched where the people are simulated. */
function poured(path: string, kind: Kind): SVGElement[] {
  if (kind === "person") return [svg("path", { class: "stream", d: path })];
  const id = freshId("hatching");
  return [hatching(id), svg("path", { fill: `url(#${id})`, d: path })];
}

/** An arm leaves the lower edge of the stream and turns down; nobody is a dotted line. */
function arm(stop: Stop, x: number, bottom: number, share: number): SVGElement {
  if (share === 0) return svg("path", { class: "none", d: `M ${x} ${bottom + 5} V ${ARM.end}` });
  const width = Math.max(THINNEST, share);
  const [near, far, top] = [x - width / 2, x + width / 2, bottom - width];
  const start = x - ARM.turn;
  const path = `M ${start} ${top} C ${far} ${top} ${far} ${top} ${far} ${ARM.end} H ${near} C ${near} ${bottom} ${near} ${bottom} ${start} ${bottom} Z`;
  return svg("path", { class: `arm is-${stop}`, d: path });
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
  const alignment = { x, "text-anchor": anchor };
  return [
    svg("text", { ...alignment, class: n > 0 ? "n" : "n is-none", y, "data-stop": stop }, String(n)),
    svg("text", { ...alignment, class: "label", y: y + 18 }, label),
  ];
}

function hatching(id: string): SVGElement {
  const tile = svg("pattern", {
    id,
    width: 9,
    height: 9,
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  });
  tile.append(
    svg("rect", { class: "hatch", width: 9, height: 9 }),
    svg("rect", { class: "hatch is-light", width: 3, height: 9 }),
  );
  return svg("defs", {}, tile);
}

function svg(
  tag: string,
  properties: Readonly<Record<string, string | number>>,
  ...children: (Node | string)[]
): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
