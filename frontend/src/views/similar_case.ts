/** Similar case: the case that the model finds most alike, beside this one, and what counted in this one. */

import type { Json } from "../schema";
import { h, words } from "../shared/dom";
import type { Context } from "../shared/task";
import { type Bar, bars } from "./attribution";
import { directions } from "./evidence";
import { numberIn, percent } from "./numbers";
import { shownValue, sortedFields } from "./record";
import { isSentence, tokensOf } from "./sentence";
import { weighed } from "./token_attribution";
import { joined } from "./words";

export function similarCase(payload: Json, context: Context, order: readonly string[]): HTMLElement {
  const { views } = context.texts;
  const own = (payload["input"] as Json | undefined) ?? {};
  const other = (payload["case"] as Json | undefined) ?? {};
  const similarity = numberIn(payload, "similarity");
  const likeness = similarity === null ? "" : ` ${views.similarity(percent(similarity, context))}`;
  const claim = h("p", { class: "claim" }, `${views.similar(String(payload["label"] ?? ""))}${likeness}`);
  const drawn =
    isSentence(own) && isSentence(other)
      ? sentences(payload, own, other, context)
      : cases(payload, own, other, { context, order });
  return h("div", { class: "similar-case" }, claim, ...drawn);
}

function sentences(payload: Json, own: Json, other: Json, context: Context): (HTMLElement | null)[] {
  const { views } = context.texts;
  const { names, weights } = importance(payload);
  const tokens = tokensOf(own);
  const isWhole = names.length === tokens.length && names.every((name, place) => name === tokens[place]);
  const hasAny = weights.some((weight) => weight !== 0);
  return [
    h("h3", {}, views.otherCase),
    h("p", { class: "sentence" }, joined(tokensOf(other))),
    h("h3", {}, views.counted),
    hasAny ? directions(payload, context) : h("p", { class: "sum" }, views.nothing),
    weighed(tokens, isWhole ? weights : [], context),
    hasAny && !isWhole
      ? barsOf(
          names.map((name, place) => ({ feature: name, weight: weights[place] ?? 0 })),
          context,
        )
      : null,
  ];
}

interface Reading {
  readonly context: Context;
  readonly order: readonly string[];
}

function cases(payload: Json, own: Json, other: Json, { context, order }: Reading): (HTMLElement | null)[] {
  const { views } = context.texts;
  const { names, weights } = importance(payload);
  const rows = sortedFields(own, order).map(([name, value]) => {
    const [here, there] = [shownValue(value, context), shownValue(other[name] ?? null, context)];
    const isSame = here === there;
    return h(
      "tr",
      isSame ? { class: "is-same" } : {},
      h("th", { scope: "row" }, words(name)),
      h("td", {}, here),
      h("td", {}, there),
      h(
        "td",
        { class: "sign" },
        isSame ? h("span", { "aria-hidden": "true" }, "=") : null,
        h("span", { class: "visually-hidden" }, isSame ? views.same : ""),
      ),
    );
  });
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, context.texts.judge.feature)),
    h("th", { scope: "col" }, views.thisCase),
    h("th", { scope: "col" }, views.otherCase),
    h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, views.same)),
  );
  const counted = names.map((name, place) => ({
    feature: words(name),
    value: own[name] === undefined ? undefined : shownValue(own[name], context),
    weight: weights[place] ?? 0,
  }));
  return [
    h("table", { class: "values is-paired" }, h("thead", {}, head), h("tbody", {}, ...rows)),
    h("h3", {}, views.counted),
    names.length > 0 ? directions(payload, context) : h("p", { class: "sum" }, views.nothing),
    names.length > 0 ? barsOf(counted, context) : null,
  ];
}

function barsOf(lines: readonly Bar[], context: Context): HTMLElement {
  return h(
    "div",
    { class: "attribution" },
    bars(
      lines.filter((line) => line.weight !== 0),
      context,
    ),
  );
}

function importance(payload: Json): { readonly names: readonly string[]; readonly weights: readonly number[] } {
  const told = (payload["importance"] as Json | undefined) ?? {};
  const names = (told["tokens"] ?? told["features"] ?? []) as readonly string[];
  return { names, weights: (told["weights"] as readonly number[] | undefined) ?? [] };
}
