/** Result list: what the server says about how somebody did, in sentences. */

import type { ResultGroup, ShownResult } from "../schema";
import { h } from "../shared/dom";
import { percent } from "../shared/notices";
import type { Context } from "../shared/task";

/** Draws every result that came with the page; null where none did. */
export function resultList(context: Context): HTMLElement | null {
  const { results } = context.feedback;
  if (results.length === 0) return null;
  return h("div", { class: "results" }, ...results.map((result) => resultBox(result, context)));
}

function resultBox(result: ShownResult, context: Context): HTMLElement {
  const sentences = result.rule === "median_split" ? split(result, context) : share(result, context);
  return h("section", { class: "result" }, result.title ? h("h2", {}, result.title) : null, ...sentences);
}

function share({ n, n_right, chance }: ShownResult, context: Context): HTMLElement[] {
  const { result } = context.texts;
  const told = h("p", { class: "figure" }, result.right(n_right, n, percent(n_right / n, context.language)));
  return chance === null ? [told] : [told, h("p", {}, result.chance(percent(chance, context.language)))];
}

function split({ n, groups, points }: ShownResult, context: Context): HTMLElement[] {
  const { result } = context.texts;
  const word = (rating: number) => points[rating - 1] ?? String(rating);
  const chosen = ({ ratings }: ResultGroup) =>
    ratings.length === 0
      ? h("dd", {}, result.noRatings)
      : points.length === 0
        ? h("dd", {}, ratings.join(", "))
        : h("dd", {}, ...counted([...ratings].sort((a, b) => a - b).map(word)));
  const of = (kind: ResultGroup["kind"]) => groups.find((group) => group.kind === kind);
  const [right, wrong] = [of("right"), of("wrong")];
  if (!right || !wrong) return [];
  return [
    h("p", {}, result.inAll(right.n, n)),
    h("p", {}, result.rule),
    h("p", { class: "figure" }, result.recognised(right, wrong)),
    h(
      "dl",
      { class: "own-ratings" },
      h("dt", {}, result.ratingsRight(right.n)),
      chosen(right),
      h("dt", {}, result.ratingsWrong(wrong.n)),
      chosen(wrong),
    ),
  ];
}

/** The words that somebody chose, in the order of the scale, each with how often. */
function counted(words: readonly string[]): HTMLElement[] {
  return [...new Set(words)].map((word) => {
    const n = words.filter((other) => other === word).length;
    return h("span", { class: "own-rating" }, `${n} × ${word}`);
  });
}
