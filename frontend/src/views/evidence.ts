/** Evidence: what every weighted explanation says beside its weights: what plus and minus mean, and the sum. */

import type { Json } from "../schema";
import { h } from "../shared/dom";
import type { Context } from "../shared/task";
import { numberIn, written } from "./numbers";

/** Says what the two directions mean: for and against a label where one is named. */
export function directions(payload: Json, { texts }: Context): HTMLElement {
  const label = typeof payload["toward"] === "string" ? payload["toward"] : "";
  return h(
    "p",
    { class: "bar-key" },
    h("span", { class: "key is-down" }, `− ${label ? texts.views.opposes(label) : texts.judge.down}`),
    h("span", { class: "key is-up" }, `+ ${label ? texts.views.supports(label) : texts.judge.up}`),
  );
}

/** Says in one sentence how much evidence there was without and with what is shown; nothing where it is unknown. */
export function sum(payload: Json, context: Context): HTMLElement | null {
  const { views } = context.texts;
  const [baseline, total] = [numberIn(payload, "baseline"), numberIn(payload, "total")];
  if (total === null) return null;
  const evidence = views.evidence(typeof payload["toward"] === "string" ? payload["toward"] : "");
  const shown = written(total, context, false);
  const sentence =
    baseline === null
      ? views.inAll(evidence, shown)
      : views.withAndWithout(evidence, written(baseline, context, false), shown);
  return h("p", { class: "sum" }, sentence);
}
