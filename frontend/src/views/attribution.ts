/** Attribution: how far each feature pushed the score, as signed bars with their values in writing. */

import type { Json } from "../schema";
import { h, words } from "../shared/dom";
import type { Context } from "../shared/task";

/** Draws the features in the given order, the same for every item, so that readers can compare. */
export function attribution(payload: Json, { texts, language }: Context): HTMLElement {
  const features = (payload["features"] as string[] | undefined) ?? [];
  const weights = (payload["weights"] as number[] | undefined) ?? [];
  const most = Math.max(1e-9, ...weights.map(Math.abs));
  const number = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" });
  const rows = features.map((feature, place) => {
    const weight = weights[place] ?? 0;
    const bar = h("span", { class: weight < 0 ? "bar is-down" : "bar is-up" });
    bar.style.setProperty("--share", String(Math.abs(weight) / most));
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, words(feature)),
      h("td", { class: "bars", "aria-hidden": "true" }, bar),
      h("td", { class: "weight" }, number.format(weight).replace("-", "−")),
    );
  });
  const key = h(
    "p",
    { class: "bar-key" },
    h("span", { class: "key is-down" }, `− ${texts.judge.down}`),
    h("span", { class: "key is-up" }, `+ ${texts.judge.up}`),
  );
  const head = h(
    "tr",
    { class: "visually-hidden" },
    h("th", { scope: "col" }, texts.judge.feature),
    h("td", {}),
    h("th", { scope: "col" }, texts.judge.weight),
  );
  return h("div", { class: "attribution" }, key, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)));
}
