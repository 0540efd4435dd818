/** Pair: an item before and after it was edited, with everything marked that is different. */

import type { Json } from "../schema";
import { h, words } from "../shared/dom";
import type { Context } from "../shared/task";
import { shownValue, sortedFields } from "./record";
import { isSentence, tokensOf } from "./sentence";
import { changedPlaces, laidOut } from "./words";

/** Tells whether a content holds an original and an edited version. */
export function isPair(content: Json): boolean {
  return isContent(content["original"]) && isContent(content["edited"]);
}

export function pair(content: Json, context: Context, order: readonly string[]): HTMLElement {
  const [original, edited] = [content["original"] as Json, content["edited"] as Json];
  return isSentence(original) && isSentence(edited)
    ? sentences(tokensOf(original), tokensOf(edited), context)
    : records(original, edited, context, order);
}

function records(original: Json, edited: Json, context: Context, order: readonly string[]): HTMLElement {
  const { judge, views } = context.texts;
  const fields = sortedFields({ ...edited, ...original }, order);
  const rows = fields.map(([name]) => {
    const [before, after] = [original[name], edited[name]].map((value) => shownValue(value ?? null, context));
    const isChanged = before !== after;
    return h(
      "tr",
      isChanged ? { class: "is-changed" } : {},
      h("th", { scope: "row" }, words(name)),
      h("td", {}, isChanged ? h("del", {}, before ?? "") : (before ?? "")),
      h(
        "td",
        { class: "sign" },
        isChanged ? h("span", { "aria-hidden": "true" }, "→") : null,
        h("span", { class: "visually-hidden" }, isChanged ? views.changed : views.same),
      ),
      h("td", {}, isChanged ? h("ins", {}, after ?? "") : (after ?? "")),
    );
  });
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, judge.feature)),
    h("th", { scope: "col" }, views.original),
    h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, views.changes)),
    h("th", { scope: "col" }, views.edited),
  );
  return h("table", { class: "values is-paired is-edits" }, h("thead", {}, head), h("tbody", {}, ...rows));
}

function sentences(before: readonly string[], after: readonly string[], { texts }: Context): HTMLElement {
  const { views } = texts;
  const [gone, come] = [changedPlaces(after, before), changedPlaces(before, after)];
  const replaced =
    before.length === after.length
      ? [...come].map((index) => views.became(before[index] ?? "", after[index] ?? ""))
      : [];
  return h(
    "div",
    { class: "sentence-pair" },
    h("h2", {}, views.original),
    h(
      "p",
      { class: "sentence is-item" },
      ...laidOut(before, (token, index) => (gone.has(index) ? h("del", {}, token) : token)),
    ),
    h("h2", {}, views.edited),
    h(
      "p",
      { class: "sentence is-item" },
      ...laidOut(after, (token, index) => (come.has(index) ? h("ins", {}, token) : token)),
    ),
    // Lines through and under words cannot be heard.
    replaced.length > 0 ? h("p", { class: "visually-hidden" }, `${views.changes}: ${replaced.join("; ")}.`) : null,
  );
}

function isContent(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
