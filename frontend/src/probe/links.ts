/** Links: from each p-value to its two result sets, wide where p is small, dashed where it does not count. */

import { type Drawn, d } from "./drawn";
import { analysisOf } from "./reading";
import type { Point, Scene } from "./scene";
import { ANALYSES, type AnalysisId, type ResultId } from "./verdicts";

const THINNEST = 1.1;
const PER_DECADE = 1.35;
const MOST_DECADES = 5;

/** Returns how wide the link of a p-value is. */
export function linkWidth(p: number): number {
  return THINNEST + PER_DECADE * Math.min(MOST_DECADES, -Math.log10(Math.max(p, 1e-12)));
}

/** Draws the twelve links between two rows of places; `bend` says whether they run across or down. */
export function drawLinks(
  scene: Scene,
  from: (id: AnalysisId, end: number) => Point,
  to: (id: ResultId, link: number) => Point,
  bend: "across" | "down",
): Drawn {
  const ends = ANALYSES.flatMap((id) => {
    const { left, right } = analysisOf(scene.reading.part, id);
    return [
      { id, result: left, end: 0 },
      { id, result: right, end: 1 },
    ];
  });
  const paths = ends.map(({ id, result, end }) => {
    const order = ends.filter((link) => link.result === result).findIndex((link) => link.id === id);
    const chain = scene.chain;
    const isLit = chain?.analyses.has(id) && chain.results.has(result);
    const kind = scene.reading.outcomes[id] === "~" ? "is-alike" : "is-different";
    const mark = chain === null ? "" : isLit ? " is-lit" : " is-dim";
    return d("path", {
      class: `link ${kind}${mark}`,
      d: curve(from(id, end), to(result, order), bend),
      "stroke-width": linkWidth(analysisOf(scene.reading.part, id).p_adjusted),
      "data-link": `${id} ${result}`,
    });
  });
  return d("g", { class: "links", "aria-hidden": "true" }, ...paths);
}

/** Draws a smooth line that leaves and arrives straight. */
export function curve(from: Point, to: Point, bend: "across" | "down"): string {
  const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
  const turns = bend === "across" ? `${x} ${from.y} ${x} ${to.y}` : `${from.x} ${y} ${to.x} ${y}`;
  return `M${from.x} ${from.y}C${turns} ${to.x} ${to.y}`;
}
