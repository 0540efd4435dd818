/** Prototype matches: regions of a photo, each next to the region of an earlier photo that it is compared with. */

import type { PrototypeMatches } from "../schema";
import { h } from "../shared/dom";
import type { Context } from "../shared/task";
import { matchRows, type RowColumn } from "./match_rows";
import { scoreText } from "./numbers";

/** Draws the rows; a page that asks something about each of them adds its `columns`. */
export function prototypeMatches(
  { picture, rows }: PrototypeMatches,
  context: Context,
  columns: readonly RowColumn[] = [],
): HTMLElement {
  const { matches } = context.texts.views;
  const hasScores = rows.some(({ similarity }) => typeof similarity === "number");
  const scores: RowColumn = {
    heading: matches.similarity,
    name: "decision",
    cell: (index) => h("span", { class: "score" }, scoreText(rows[index]?.similarity, context)),
  };
  return matchRows(picture, rows, context, {
    rowName: (index) => String(index + 1),
    spoken: (index) => matches.row(index + 1),
    link: matches.comparedWith,
    columns: [...(hasScores ? [scores] : []), ...columns],
  });
}
