/** Prototype tree: a small tree as a drawing, a large one in a window of its own; both in words as well. */

import type { PrototypeTree, TreeDecision } from "../schema";
import { openDialog } from "../shared/dialog";
import { freshId, h, svg } from "../shared/dom";
import type { Context } from "../shared/task";
import { scoreText } from "./numbers";
import { type Branch, type Place, TILE, type TreeLayout, treeLayout } from "./tree_layout";
import { movableDrawing } from "./tree_window";

const MOST_INLINE = 7;

export function prototypeTree(tree: PrototypeTree, context: Context): HTMLElement {
  const { tree: texts } = context.texts.views;
  if (tree.decisions.length <= MOST_INLINE)
    return h(
      "figure",
      { class: "prototype-tree" },
      labelled(drawnTree(tree, context), texts.title),
      inWords(tree, context),
    );
  return h(
    "div",
    { class: "prototype-tree" },
    h(
      "button",
      { type: "button", class: "button", "aria-haspopup": "dialog", onclick: () => open(tree, context) },
      texts.open(tree.decisions.length),
    ),
  );
}

/** Opens the tree as large as the window; how long it was open and how often it was moved is logged. */
function open(tree: PrototypeTree, context: Context): void {
  const { tree: texts } = context.texts.views;
  const n_decisions = tree.decisions.length;
  const layout = treeLayout(tree);
  const drawing = drawnTree(tree, context, layout);
  labelled(drawing, texts.title);
  const shown = movableDrawing(drawing, layout, context);
  context.log("tree_opened", { n_decisions });
  openDialog({
    label: texts.title,
    className: "is-tree",
    body: h("div", { class: "dialog-body" }, shown.element, inWords(tree, context)),
    close: context.texts.close,
    closed: (open_ms) => context.log("tree_closed", { n_decisions, open_ms, n_moves: shown.nMoves() }),
  });
  shown.element.querySelector<HTMLElement>(".tree-frame")?.focus();
}

function labelled(drawing: SVGElement, title: string): HTMLElement {
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", title);
  return drawing as unknown as HTMLElement;
}

function drawnTree(tree: PrototypeTree, context: Context, layout: TreeLayout = treeLayout(tree)): SVGElement {
  const visited = new Set(tree.visited ?? []);
  const drawing = svg("svg", { viewBox: `0 0 ${layout.width} ${layout.height}`, class: "tree-drawing" });
  drawing.append(
    ...layout.branches.map((branch) => branchLine(branch, tree, context)),
    ...layout.places.map((place) => (place.at < 0 ? end(tree, place, visited) : decision(tree, place, context))),
  );
  return drawing;
}

function branchLine({ from, to, isPresent }: Branch, tree: PrototypeTree, { texts }: Context): SVGElement {
  const { matches } = texts.views;
  const visited = new Set(tree.visited ?? []);
  const hasPictures = tree.decisions.some(({ source }) => source);
  const isTaken = visited.has(from.at) && visited.has(to.at);
  // The name of a step is above its tile.
  const below = to.at < 0 ? 14 : TILE / 2 + (hasPictures ? 20 : 0);
  // Nearer to the lower end, where branches are further apart.
  const [start, stop] = [from.y + TILE / 2, to.y - below];
  const [x, y] = [from.x + 0.68 * (to.x - from.x), start + 0.62 * (stop - start)];
  const word = isPresent ? matches.present : matches.absent;
  return svg(
    "g",
    { class: `branch${isTaken ? " is-taken" : ""}${isPresent ? " is-present" : ""}` },
    svg("line", { x1: from.x, y1: from.y + TILE / 2, x2: to.x, y2: to.y - below }),
    svg("rect", { x: x - 4 * word.length, y: y - 10, width: 8 * word.length, height: 20, rx: 6 }),
    svg("text", { x, y: y + 5 }, word),
  );
}

function decision(tree: PrototypeTree, { at, x, y }: Place, context: Context): SVGElement {
  const { source, source_region: region, similarity } = tree.decisions[at] as TreeDecision;
  const group = svg("g", { class: `decision${tree.visited?.includes(at) ? " is-taken" : ""}` });
  const [across, down] = source && region ? [region.width * source.width, region.height * source.height] : [1, 1];
  const [width, height] = [TILE * Math.min(1, across / down), TILE * Math.min(1, down / across)];
  const [left, top] = [x - width / 2, y - height / 2];
  if (source && region) {
    // A drawing within the drawing, whose window is the region of the photo.
    const window = svg("svg", { x: left, y: top, width, height });
    window.setAttribute("viewBox", `${region.left * source.width} ${region.top * source.height} ${across} ${down}`);
    const image = svg("image", { href: context.media(source.file), width: source.width, height: source.height });
    window.append(image);
    group.append(window);
  }
  group.append(svg("rect", { x: left, y: top, width, height, rx: 6 }));
  const score = scoreText(similarity, context);
  const name = stepName(tree, at, context);
  group.append(svg("text", { x, y: source ? y - TILE / 2 - 6 : score === null ? y + 5 : y - 4 }, name));
  if (score !== null) group.append(svg("text", { class: "score", x, y: y + 17 }, score));
  return group;
}

function end(tree: PrototypeTree, { at, x, y }: Place, visited: ReadonlySet<number>): SVGElement {
  const name = tree.ends[-1 - at] ?? "";
  return svg(
    "g",
    { class: `end${visited.has(at) ? " is-taken" : ""}` },
    svg("rect", { x: x - 46, y: y - 15, width: 92, height: 30, rx: 15 }),
    svg("text", { x, y: y + 5 }, name),
  );
}

/** The tree as a list: each step with where its two answers lead. */
function inWords(tree: PrototypeTree, context: Context): HTMLElement {
  const { tree: texts, matches } = context.texts.views;
  const goal = (at: number) => (at < 0 ? tree.ends[-1 - at] || texts.end : stepName(tree, at, context));
  const id = freshId("tree-words");
  return h(
    "details",
    { class: "tree-words" },
    h("summary", { id }, texts.words),
    h(
      "ol",
      { "aria-labelledby": id },
      ...tree.decisions.map(({ absent, present }, at) =>
        h(
          "li",
          {},
          h("strong", {}, stepName(tree, at, context)),
          `: ${matches.absent} → ${goal(absent)}; ${matches.present} → ${goal(present)}`,
        ),
      ),
    ),
  );
}

/** What a step is called: its number on the path of a photo, with a letter where a level has several. */
function stepName(tree: PrototypeTree, at: number, { texts }: Context): string {
  return texts.views.step(tree.decisions[at]?.number || String(at + 1));
}
