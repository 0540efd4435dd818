/** Match rows: one comparison a row, from the photo over both enlarged regions to the photo the prototype is from. */

import type { PrototypeMatch, ShownPicture } from "../schema";
import { type Child, h } from "../shared/dom";
import type { Context } from "../shared/task";
import { boxed, crop } from "./crop";
import { arrowKeys, scrollable } from "./grid_keys";
import { zoom } from "./zoom";

/** A column after the pictures. */
export interface RowColumn {
  readonly heading: string;
  readonly name: string;
  cell(index: number): Child;
}

export interface RowsOptions {
  /** What a row is called. */
  readonly rowName: (index: number) => string;
  /** What a row is called in the description of its pictures. */
  readonly spoken: (index: number) => string;
  /** What connects the two regions, such as "compared with". */
  readonly link: string;
  readonly columns?: readonly RowColumn[];
}

const N_PICTURES = 4;

interface RowPicture {
  readonly alt: string;
  draw(alt: string): HTMLElement;
  readonly file: string;
}

export function matchRows(
  picture: ShownPicture,
  rows: readonly PrototypeMatch[],
  context: Context,
  options: RowsOptions,
): HTMLElement {
  const { matches } = context.texts.views;
  const columns = options.columns ?? [];
  const headings = [
    h("th", { scope: "col", class: "row-name" }, h("span", { class: "visually-hidden" }, matches.number)),
    h("th", { scope: "col" }, matches.photo),
    h("th", { scope: "col" }, matches.region),
    h("td", { class: "link" }),
    h("th", { scope: "col" }, matches.prototype),
    h("th", { scope: "col" }, matches.source),
    ...columns.map(({ heading, name }) => h("th", { scope: "col", class: name }, heading)),
  ];
  const pictures = rows.map((row, index) => picturesOf(picture, row, options.spoken(index), context));
  const series = pictures.flatMap((shown, row) =>
    shown.map(({ alt, draw, file }, column) => ({
      draw: () => draw(alt),
      title: alt,
      caption: "",
      told: { file, row, column },
    })),
  );
  const lines = rows.map((_, index) => {
    const cells = (pictures[index] ?? []).map((shown, column) =>
      h(
        "td",
        {},
        pictureButton(shown, () => zoom(series, N_PICTURES * index + column, context)),
      ),
    );
    cells.splice(2, 0, h("td", { class: "link" }, h("span", {}, options.link)));
    return h(
      "tr",
      {},
      h("th", { scope: "row", class: "row-name" }, options.rowName(index)),
      ...cells,
      ...columns.map((column) => h("td", { class: column.name }, column.cell(index))),
    );
  });
  const table = h(
    "table",
    {},
    h("caption", { class: "visually-hidden" }, matches.title),
    h("thead", {}, h("tr", {}, ...headings)),
    h("tbody", {}, ...lines),
  );
  arrowKeys(table);
  const element = h("div", { class: "match-rows" }, table);
  scrollable(element, matches.title);
  return element;
}

/** The four pictures of a row; their descriptions say which row and region they show, and nothing about the class. */
function picturesOf(picture: ShownPicture, row: PrototypeMatch, name: string, context: Context): RowPicture[] {
  const { matches } = context.texts.views;
  const { region, source, source_region } = row;
  const told = (own: string | undefined, words: string) => (own ? `${own}. ${words}` : words);
  return [
    {
      alt: told(picture.alt, matches.photoAlt(name)),
      file: picture.file,
      draw: (alt) => boxed(picture, region, alt, context),
    },
    { alt: matches.regionAlt(name), file: picture.file, draw: (alt) => crop(picture, region, alt, context) },
    { alt: matches.prototypeAlt(name), file: source.file, draw: (alt) => crop(source, source_region, alt, context) },
    {
      alt: told(source.alt, matches.sourceAlt(name)),
      file: source.file,
      draw: (alt) => boxed(source, source_region, alt, context),
    },
  ];
}

function pictureButton({ alt, draw }: RowPicture, open: () => void): HTMLElement {
  return h("button", { type: "button", class: "match-picture", "aria-haspopup": "dialog", onclick: open }, draw(alt));
}
