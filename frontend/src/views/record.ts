/** The content of an item as a table people can read, with pictures as pictures. */

import type { Json, JsonValue } from "../schema";
import { h, words } from "../shared/dom";
import type { Context } from "../shared/task";

const PICTURE = /\.(png|jpe?g|gif|webp|svg|avif)$/i;
const LONG_TEXT = 60;
const MANY_ROWS = 8;

/** Draws all fields of an item: pictures first, then long texts, then a table of short values. */
export function recordView(content: Json, context: Context, order: readonly string[] = []): HTMLElement {
  const entries = sortedFields(content, order).filter(([name]) => name !== "alt");
  const isPicture = (value: JsonValue) => typeof value === "string" && PICTURE.test(value);
  const isLong = (value: JsonValue) => typeof value === "string" && value.length > LONG_TEXT && !isPicture(value);
  const alt = typeof content["alt"] === "string" ? content["alt"] : context.texts.judge.picture;
  const pictures = entries.filter(([, value]) => isPicture(value));
  const texts = entries.filter(([, value]) => isLong(value));
  const rows = entries.filter(([, value]) => !isPicture(value) && !isLong(value));
  return h(
    "div",
    { class: "record" },
    ...pictures.map(([, value]) => picture(context.media(String(value)), alt)),
    ...texts.map(([name, value]) =>
      h("div", { class: "passage" }, h("h2", {}, words(name)), h("p", {}, String(value))),
    ),
    rows.length > 0 ? table(rows, context) : null,
  );
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
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.entries(content).sort(([one], [other]) => place(one) - place(other));
}

/** Writes a value for reading: numbers in the reader's own manner, yes and no in words. */
export function shownValue(value: JsonValue, { language, texts }: Context): string {
  if (typeof value === "number") return new Intl.NumberFormat(language, { maximumFractionDigits: 3 }).format(value);
  if (typeof value === "boolean") return value ? texts.judge.yes : texts.judge.no;
  if (value === null) return "–";
  if (Array.isArray(value)) return value.map((one) => shownValue(one, { language, texts } as Context)).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : value;
}

/** A picture in its frame. */
export function picture(source: string, alt: string): HTMLElement {
  return h("figure", { class: "picture" }, h("img", { src: source, alt, decoding: "async" }));
}
