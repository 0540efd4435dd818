/** The content of an item as a table people can read, with pictures as pictures. */

import type { Json, JsonValue } from "../schema";
import { h, words } from "../shared/dom";
import type { Context } from "../shared/task";
import { itemPicture } from "./item_picture";

const PICTURE = /\.(png|jpe?g|gif|webp|svg|avif)$/i;
/** A served file without an ending is a picture only where its field says so. */
const ADDRESS = /^[0-9a-f]{64}$/;
const LONG_TEXT = 60;
const MANY_ROWS = 8;

/** Draws all fields of an item: pictures first, side by side where there is room, then long texts, then short values. */
export function recordView(content: Json, context: Context, order: readonly string[] = []): HTMLElement {
  const entries = sortedFields(content, order).filter(([name]) => name !== "alt");
  const isLong = (value: JsonValue) => typeof value === "string" && value.length > LONG_TEXT;
  const alt = typeof content["alt"] === "string" ? content["alt"] : context.texts.judge.picture;
  const pictures = entries.flatMap(([name, value]) => {
    const picture = pictureIn(name, value);
    return picture ? [{ ...picture, name: words(name) }] : [];
  });
  const written = entries.filter(([name, value]) => pictureIn(name, value) === null);
  const texts = written.filter(([, value]) => isLong(value));
  const rows = written.filter(([, value]) => !isLong(value));
  return h(
    "div",
    { class: "record" },
    pictures.length > 1
      ? h(
          "div",
          { class: "pictures" },
          ...pictures.map(({ file, alt, name }) => itemPicture(file, alt || name, context)),
        )
      : null,
    ...(pictures.length === 1 ? pictures.map((picture) => itemPicture(picture.file, picture.alt || alt, context)) : []),
    ...texts.map(([name, value]) =>
      h("div", { class: "passage" }, h("h2", {}, words(name)), h("p", {}, String(value))),
    ),
    rows.length > 0 ? table(rows, context) : null,
  );
}

/** Reads a picture from a field: an address with the ending of a picture, a field called image, or a shown picture. */
function pictureIn(name: string, value: JsonValue): { readonly file: string; readonly alt: string } | null {
  if (typeof value === "string") {
    return PICTURE.test(value) || (name === "image" && ADDRESS.test(value)) ? { file: value, alt: "" } : null;
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
  const { file, width, alt } = value;
  return typeof file === "string" && typeof width === "number" ? { file, alt: String(alt ?? "") } : null;
}

function table(rows: [string, JsonValue][], context: Context): HTMLElement {
  const lines = rows.map(([name, value]) =>
    h("tr", {}, h("th", { scope: "row" }, words(name)), h("td", {}, shownValue(value, context))),
  );
  return h(
    "table",
    { class: rows.length > MANY_ROWS ? "values is-dense" : "values" },
    h("caption", { class: "visually-hidden" }, context.texts.judge.details),
    h("tbody", {}, ...lines),
  );
}

/** Returns the fields in the order they are read in; those the order does not name come last, as they are. */
export function sortedFields(content: Json, order: readonly string[]): [string, JsonValue][] {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.entries(content).sort(([a], [b]) => rank(a) - rank(b));
}

/** Writes a value for reading: numbers in the reader's own manner, yes and no in words. */
export function shownValue(value: JsonValue, { language, texts }: Context): string {
  if (typeof value === "number") return new Intl.NumberFormat(language, { maximumFractionDigits: 3 }).format(value);
  if (typeof value === "boolean") return value ? texts.judge.yes : texts.judge.no;
  if (value === null) return "–";
  if (Array.isArray(value)) return value.map((item) => shownValue(item, { language, texts } as Context)).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : value;
}
