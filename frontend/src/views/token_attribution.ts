/** Token attribution: the sentence, with the words that counted marked by hue, line and sign, and their number below. */

import type { TokenAttribution } from "../schema";
import { h } from "../shared/dom";
import type { Context } from "../shared/task";
import { directions, sum } from "./evidence";
import { written } from "./numbers";
import { laidOut } from "./words";

/** Draws the sentence; words that weigh nothing stand as they are. */
export function tokenAttribution(explanation: TokenAttribution, context: Context): HTMLElement {
  const { tokens, weights } = explanation;
  return h(
    "div",
    { class: "token-attribution" },
    weights.some((weight) => weight !== 0)
      ? directions(explanation.toward, context)
      : h("p", { class: "sum" }, context.texts.views.nothing),
    weighed(tokens, weights, context),
    sum(explanation, context),
  );
}

/** Lays out a sentence whose words carry weights; the number below a word is seen and read aloud with it. */
export function weighed(tokens: readonly string[], weights: readonly number[], context: Context): HTMLElement {
  const most = Math.max(1e-9, ...weights.map(Math.abs));
  return h(
    "p",
    { class: "sentence is-weighed" },
    ...laidOut(tokens, (token, index) => {
      const weight = weights[index] ?? 0;
      if (weight === 0) return token;
      const word = h("span", { class: weight < 0 ? "token is-down" : "token is-up" }, token);
      word.style.setProperty("--share", (Math.abs(weight) / most).toFixed(3));
      return h("span", { class: "weighed" }, word, " ", h("span", { class: "its-weight" }, written(weight, context)));
    }),
  );
}
