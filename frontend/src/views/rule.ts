/** RuleExplanation: what has to hold for the model to answer so: a list of values, or the words of a sentence that must stay. */

import type { RuleCondition, RuleExplanation } from "../schema";
import { h, words } from "../shared/dom";
import type { Context } from "../shared/task";
import { percent } from "./numbers";
import { laidOut } from "./words";

/** A rule holds in the very case it explains, so that “0%” would be wrong. */
const LEAST = 0.005;

export function rule(explanation: RuleExplanation, context: Context): HTMLElement {
  const { views } = context.texts;
  const { label, conditions, tokens = [], precision = null, coverage = null } = explanation;
  const places = new Set(conditions.flatMap(({ position = null }) => (position === null ? [] : [position])));
  const isSentence = tokens.length > 0 && conditions.some(({ token = null }) => token !== null);
  const placeless = isSentence
    ? conditions.filter(({ position = null }) => position === null).map(({ token }) => `“${token ?? ""}”`)
    : [];
  const claim = conditions.length === 0 ? views.always(label) : isSentence ? views.wordRule(label) : views.rule(label);
  const told = [
    precision === null ? null : views.precision(percent(precision, context)),
    // For a sentence it is the share of its own variations, which says nothing about other cases.
    coverage === null || isSentence
      ? null
      : views.coverage(coverage < LEAST ? views.fewer(percent(0.01, context)) : percent(coverage, context)),
  ].filter((sentence) => sentence !== null);
  return h(
    "div",
    { class: "rule" },
    h("p", { class: "claim" }, claim),
    isSentence ? framedWords(tokens, places, context) : conditions.length > 0 ? list(conditions) : null,
    placeless.length > 0 ? h("p", { class: "somewhere" }, views.somewhere(placeless.join(", "))) : null,
    told.length > 0 ? h("p", { class: "sum" }, told.join(" ")) : null,
  );
}

function list(conditions: readonly RuleCondition[]): HTMLElement {
  const lines = conditions.map(({ feature = null, value, token }) =>
    feature === null
      ? h("li", {}, h("strong", {}, `“${token ?? ""}”`))
      : h("li", {}, h("span", {}, words(feature)), " ", h("strong", {}, value ?? "")),
  );
  return h("ul", { class: "conditions" }, ...lines);
}

function framedWords(tokens: readonly string[], places: ReadonlySet<number>, { texts }: Context): HTMLElement {
  const named = [...places].sort((a, b) => a - b).map((position) => tokens[position] ?? "");
  return h(
    "div",
    {},
    h(
      "p",
      { class: "sentence" },
      ...laidOut(tokens, (token, position) => (places.has(position) ? h("mark", { class: "framed" }, token) : token)),
    ),
    // Frames cannot be heard.
    named.length > 0 ? h("p", { class: "visually-hidden" }, `${texts.views.framed}: ${named.join(", ")}.`) : null,
  );
}
