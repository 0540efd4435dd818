/** Attribution: how far each feature pushed the score, as signed bars with their values in writing. */

import type { Attribution } from "../schema";
import { h, words } from "../shared/dom";
import type { Context } from "../shared/task";
import { directions, sum } from "./evidence";
import { written } from "./numbers";

/** Draws the features in the given order, so that readers can compare items. */
export function attribution(explanation: Attribution, context: Context): HTMLElement {
  const { features, weights, values = [] } = explanation;
  if (features.length === 0) {
    return h(
      "div",
      { class: "attribution" },
      h("p", { class: "sum" }, context.texts.views.nothing),
      sum(explanation, context),
    );
  }
  return h(
    "div",
    { class: "attribution" },
    directions(explanation.toward, context),
    bars(
      features.map((feature, index) => ({
        feature: words(feature),
        value: values[index],
        weight: weights[index] ?? 0,
      })),
      context,
    ),
    sum(explanation, context),
  );
}

/** One line of a table of bars. */
export interface Bar {
  readonly feature: string;
  readonly value?: string | undefined;
  readonly weight: number;
}

/** Draws one bar a line, to the right of the middle where the weight is positive and to the left where it is not. */
export function bars(lines: readonly Bar[], context: Context): HTMLElement {
  const { texts } = context;
  const most = Math.max(1e-9, ...lines.map((line) => Math.abs(line.weight)));
  const rows = lines.map(({ feature, value, weight }) => {
    const bar = h("span", { class: weight < 0 ? "bar is-down" : "bar is-up" });
    bar.style.setProperty("--share", String(Math.abs(weight) / most));
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        feature,
        ...(value === undefined ? [] : [" ", h("strong", { class: "its-value" }, value)]),
      ),
      h("td", { class: "bars", "aria-hidden": "true" }, bar),
      h("td", { class: "weight" }, written(weight, context)),
    );
  });
  const head = h(
    "tr",
    { class: "visually-hidden" },
    h("th", { scope: "col" }, texts.judge.feature),
    h("td", { "aria-hidden": "true" }),
    h("th", { scope: "col" }, texts.judge.weight),
  );
  return h("table", { "aria-label": texts.judge.explanation }, h("thead", {}, head), h("tbody", {}, ...rows));
}
