/** Similar case: the case that the model finds most alike, beside this one, and what counted in this one. */

import type { Importance, Json, SimilarCase } from "../schema";
import { h, words } from "../shared/dom";
import type { Context } from "../shared/task";
import { type Bar, bars } from "./attribution";
import { directions } from "./evidence";
import { percent } from "./numbers";
import { shownValue, sortedFields } from "./record";
import { isSentence, tokensOf } from "./sentence";
import { weighed } from "./token_attribution";
import { joined } from "./words";

export function similarCase(explanation: SimilarCase, context: Context, order: readonly string[]): HTMLElement {
  const { views } = context.texts;
  const { input, case: other, label, similarity = null } = explanation;
  const likeness = similarity === null ? "" : ` ${views.similarity(percent(similarity, context))}`;
  const claim = h("p", { class: "claim" }, `${views.similar(label)}${likeness}`);
  const drawn =
    isSentence(input) && isSentence(other) ? sentences(explanation, context) : cases(explanation, context, order);
  return h("div", { class: "similar-case" }, claim, ...drawn);
}

function sentences(explanation: SimilarCase, context: Context): (HTMLElement | null)[] {
  const { views } = context.texts;
  const { names, weights } = importanceOf(explanation.importance);
  const tokens = tokensOf(explanation.input);
  const isWhole = names.length === tokens.length && names.every((name, index) => name === tokens[index]);
  const hasAny = weights.some((weight) => weight !== 0);
  return [
    h("h3", {}, views.otherCase),
    h("p", { class: "sentence" }, joined(tokensOf(explanation.case))),
    h("h3", {}, views.counted),
    hasAny ? directions(explanation.toward, context) : h("p", { class: "sum" }, views.nothing),
    weighed(tokens, isWhole ? weights : [], context),
    hasAny && !isWhole
      ? barsOf(
          names.map((name, index) => ({ feature: name, weight: weights[index] ?? 0 })),
          context,
        )
      : null,
  ];
}

function cases(explanation: SimilarCase, context: Context, order: readonly string[]): (HTMLElement | null)[] {
  const { views } = context.texts;
  const own: Json = explanation.input;
  const other: Json = explanation.case;
  const { names, weights } = importanceOf(explanation.importance);
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
  const counted = names.map((name, index) => ({
    feature: words(name),
    value: own[name] === undefined ? undefined : shownValue(own[name], context),
    weight: weights[index] ?? 0,
  }));
  return [
    h("table", { class: "values is-paired" }, h("thead", {}, head), h("tbody", {}, ...rows)),
    h("h3", {}, views.counted),
    names.length > 0 ? directions(explanation.toward, context) : h("p", { class: "sum" }, views.nothing),
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

interface NamedWeights {
  readonly names: readonly string[];
  readonly weights: readonly number[];
}

/** A record weighs its features and a sentence its words; the other list is empty. */
function importanceOf({ tokens = [], features = [], weights }: Importance): NamedWeights {
  return { names: tokens.length > 0 ? tokens : features, weights };
}
