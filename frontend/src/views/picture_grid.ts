/** Picture grid: a table of pictures with headings; each can be enlarged, and regions of it are outlined. */

import type { GridCell, Outline, PictureGrid, Region } from "../schema";
import { h, svg } from "../shared/dom";
import type { Context } from "../shared/task";
import { arrowKeys, scrollable } from "./grid_keys";
import { type Zoomed, zoom } from "./zoom";

/** Grids of more rows scroll within their own area, so that the questions next to them stay in view. */
const TALL = 4;

interface Position {
  readonly row: number;
  readonly column: number;
}

export function pictureGrid(explanation: PictureGrid, context: Context): HTMLElement {
  const { rows, row_headings = [], column_headings = [], caption = "" } = explanation;
  const { grid } = context.texts.views;
  const hasRowHeadings = row_headings.length > 0;
  const head = h(
    "tr",
    {},
    hasRowHeadings ? h("td", {}) : null,
    ...column_headings.map((heading) => h("th", { scope: "col" }, heading)),
  );
  const series: Zoomed[] = [];
  const button = (cell: GridCell, position: Position) => {
    const name = altOf(cell, explanation, position, context);
    const index = series.length;
    series.push({
      draw: () => outlined(cell, name, context),
      title: name,
      caption: captionFor(cell, explanation, position, context),
      told: { file: cell.picture.file, row: position.row, column: position.column },
    });
    return h(
      "button",
      { type: "button", class: "grid-picture", "aria-haspopup": "dialog", onclick: () => zoom(series, index, context) },
      outlined(cell, name, context),
    );
  };
  const lines = rows.map((cells, row) =>
    h(
      "tr",
      {},
      hasRowHeadings ? h("th", { scope: "row" }, row_headings[row] ?? "") : null,
      ...cells.map((cell, column) => h("td", {}, ...(cell ? [button(cell, { row, column }), captionOf(cell)] : []))),
    ),
  );
  const table = h(
    "table",
    {},
    h("caption", caption ? {} : { class: "visually-hidden" }, caption || grid.title),
    column_headings.length > 0 ? h("thead", {}, head) : null,
    h("tbody", {}, ...lines),
  );
  arrowKeys(table);
  const nColumns = rows[0]?.length ?? 1;
  const sizes = `${nColumns > 5 ? " is-broad" : ""}${rows.length > TALL ? " is-tall" : ""}`;
  const element = h("div", { class: `picture-grid${sizes}` }, table);
  element.style.setProperty("--columns", String(nColumns));
  element.style.setProperty("--heads", hasRowHeadings ? "1" : "0");
  scrollable(element, caption || grid.title);
  return element;
}

function captionOf({ caption }: GridCell): HTMLElement | null {
  return caption ? h("span", { class: "cell-caption" }, caption) : null;
}

/** The picture with its regions and its highlight, whose places are shares of its size. */
function outlined({ picture, regions = [], highlight = [] }: GridCell, alt: string, context: Context): HTMLElement {
  const { file, width, height } = picture;
  // Smaller pictures are drawings in squares; larger ones, such as renderings, look worse with visible pixels.
  const tiny = Math.max(width, height) < 48 ? "is-tiny" : null;
  const box = h(
    "span",
    { class: "outlined" },
    h("img", { src: context.media(file), alt, width, height, class: tiny }),
    ...regions.map(outline),
    highlight.length > 0 ? dimmedAround(highlight) : null,
  );
  box.style.setProperty("--ratio", String(width / height));
  return box;
}

function outline({ left, top, width, height, label }: Region): HTMLElement {
  // The label keeps inside the picture: below a region at its top, and from the right for one on its right.
  const sides = `${top < 0.15 ? " is-high" : ""}${left > 0.5 ? " is-right" : ""}`;
  const box = h("span", { class: `region${sides}` }, label ? h("span", { class: "region-label" }, label) : null);
  const shares = { left, top, width, height };
  for (const [side, share] of Object.entries(shares)) box.style.setProperty(side, `${100 * share}%`);
  return box;
}

/** Dims all but the inside of the lines, which keep their width at any size. */
function dimmedAround(outlines: readonly Outline[]): SVGElement {
  const path = outlines.map(({ points }) => `M${points.map(([x, y]) => `${x} ${y}`).join("L")}Z`).join("");
  return svg(
    "svg",
    { class: "highlight", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("path", { class: "highlight-outside", d: `M-1-1H2V2H-1Z${path}`, "fill-rule": "evenodd" }),
    svg("path", { class: "highlight-halo", d: path }),
    svg("path", { class: "highlight-line", d: path }),
  );
}

/** What an enlarged picture says below it: its own words, or where it is in the grid. */
function captionFor(cell: GridCell, grid: PictureGrid, position: Position, context: Context): string {
  return [cell.caption, placeOf(grid, position, context)].filter(Boolean).join(". ");
}

/** A picture without words of its own is named by its place, which gives nothing of its content away. */
function altOf({ picture }: GridCell, grid: PictureGrid, position: Position, context: Context): string {
  return picture.alt || placeOf(grid, position, context);
}

function placeOf(grid: PictureGrid, { row, column }: Position, { texts }: Context): string {
  const across = grid.row_headings?.[row];
  const down = grid.column_headings?.[column];
  const { place, inRow, inColumn } = texts.views.grid;
  if (across && down) return `${across}, ${down}`;
  if (across) return `${across}, ${inColumn(column + 1)}`;
  return down ? `${down}, ${inRow(row + 1)}` : place(row + 1, column + 1);
}
