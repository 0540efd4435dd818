/** Fruit tree: a small decision tree and the fruit it is asked about, drawn as lines and shapes. */

import { h, svg } from "../shared/dom";
import type { Context } from "../shared/task";

export type FruitName = "yellow_banana" | "yellow_lemon" | "green_banana";

interface Node {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly parent?: string;
  /** Which word is on the way from its parent. */
  readonly way?: "green" | "red" | "yellow" | "few" | "many" | "round" | "skinny";
}

const [WIDTH, HEIGHT] = [600, 232];
const NODES: readonly Node[] = [
  { id: "color", x: 300, y: 26 },
  { id: "count", x: 132, y: 112, parent: "color", way: "green" },
  { id: "C", x: 300, y: 112, parent: "color", way: "red" },
  { id: "shape", x: 468, y: 112, parent: "color", way: "yellow" },
  { id: "A", x: 46, y: 202, parent: "count", way: "few" },
  { id: "B", x: 218, y: 202, parent: "count", way: "many" },
  { id: "D", x: 400, y: 202, parent: "shape", way: "round" },
  { id: "E", x: 536, y: 202, parent: "shape", way: "skinny" },
];
const QUESTIONS = ["color", "count", "shape"];

/** Draws the tree; the ways that lead to `leaf` are the model's own. */
export function fruitTree(leaf: string, context: Context): HTMLElement {
  const { warmUp } = context.texts;
  const taken = pathTo(leaf);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "fruit-tree", "aria-hidden": "true" });
  for (const node of NODES) if (node.parent) drawing.append(way(node, taken.includes(node.id), context));
  for (const node of NODES) drawing.append(place(node, taken.includes(node.id), context));
  const words = taken.slice(1).map((id) => nodeNamed(id).way);
  const told = warmUp.path(words.map((word) => (word ? warmUp.ways[word] : "")).join(" → "), leaf);
  return h(
    "figure",
    { class: "fruit-figure" },
    h("div", { role: "img", "aria-label": `${warmUp.tree} ${told}` }, drawing as unknown as HTMLElement),
    h("figcaption", {}, told),
  );
}

/** Draws the one piece of fruit of an example. */
export function fruitPicture(name: FruitName, context: Context): HTMLElement {
  const drawing = svg("svg", { viewBox: "0 0 120 90", class: `fruit is-${name.split("_")[0]}`, "aria-hidden": "true" });
  drawing.append(...(name === "yellow_lemon" ? lemon() : banana()));
  return h(
    "div",
    { class: "fruit-box", role: "img", "aria-label": context.texts.warmUp.fruit[name] },
    drawing as unknown as HTMLElement,
  );
}

function stroke(part: "flesh" | "line" | "tip", path: string): SVGElement {
  return svg("path", { class: part, d: path });
}

function banana(): SVGElement[] {
  return [
    stroke("flesh", "M16 26 C24 66 66 84 104 58 C108 55 106 49 101 50 C70 58 44 46 30 20 C26 13 14 17 16 26 Z"),
    stroke("line", "M24 26 C34 56 66 70 98 56"),
    stroke("tip", "M14 25 L12 13 L22 11 L27 19 Z"),
    svg("circle", { class: "tip", cx: 104, cy: 54, r: 4 }),
  ];
}

function lemon(): SVGElement[] {
  return [
    stroke(
      "flesh",
      "M10 45 C16 42 19 36 26 28 C44 9 76 9 94 28 C101 36 104 42 110 45 C104 48 101 54 94 62 C76 81 44 81 26 62 C19 54 16 48 10 45 Z",
    ),
    stroke("line", "M38 32 C50 20 68 20 80 28"),
  ];
}

function way(node: Node, isTaken: boolean, { texts }: Context): SVGElement {
  const from = nodeNamed(node.parent ?? "");
  // Words are nearer to the lower end, where the ways are further apart.
  const [x, y] = [0.42 * from.x + 0.58 * node.x, (from.y + node.y) / 2 + 4];
  const word = node.way ? texts.warmUp.ways[node.way] : "";
  const group = svg("g", { class: isTaken ? "way is-taken" : "way" });
  group.append(
    svg("line", { x1: from.x, y1: from.y + 14, x2: node.x, y2: node.y - 16 }),
    svg("rect", { x: x - 3.4 * word.length - 5, y: y - 10, width: 6.8 * word.length + 10, height: 20, rx: 5 }),
    svg("text", { x, y: y + 5 }, word),
  );
  return group;
}

function place({ id, x, y }: Node, isTaken: boolean, { texts }: Context): SVGElement {
  const isQuestion = QUESTIONS.includes(id);
  const name = isQuestion ? texts.warmUp.nodes[id as "color" | "count" | "shape"] : texts.warmUp.leaf(id);
  const half = isQuestion ? 46 : 36;
  const group = svg("g", { class: `node${isQuestion ? "" : " is-leaf"}${isTaken ? " is-taken" : ""}` });
  group.append(
    svg("rect", { x: x - half, y: y - 16, width: 2 * half, height: 32, rx: isQuestion ? 16 : 5 }),
    svg("text", { x, y: y + 5 }, name),
  );
  return group;
}

function pathTo(leaf: string): string[] {
  const node = nodeNamed(leaf);
  return node.parent ? [...pathTo(node.parent), leaf] : [leaf];
}

function nodeNamed(id: string): Node {
  return NODES.find((node) => node.id === id) ?? (NODES[0] as Node);
}
