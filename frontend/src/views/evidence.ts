/** Evidence: what every weighted explanation says beside its weights: what plus and minus mean, and the sum. */

import { h } from "../shared/dom";
import type { Context } from "../shared/task";
import { written } from "./numbers";

/** The evidence without and with what is shown, as far as it is known. */
export interface Evidence {
  readonly baseline?: number | null;
  readonly total?: number | null;
  readonly toward?: string | null;
}

/** Says what the two directions mean: for and against a label where one is named. */
export function directions(label: string | null | undefined, { texts }: Context): HTMLElement {
  return h(
    "p",
    { class: "bar-key" },
    h("span", { class: "key is-down" }, `− ${label ? texts.views.opposes(label) : texts.judge.down}`),
    h("span", { class: "key is-up" }, `+ ${label ? texts.views.supports(label) : texts.judge.up}`),
  );
}

/** Says in one sentence how much evidence there was without and with what is shown; nothing where it is unknown. */
export function sum({ baseline = null, total = null, toward }: Evidence, context: Context): HTMLElement | null {
  const { views } = context.texts;
  if (total === null) return null;
  const evidence = views.evidence(toward ?? "");
  const shown = written(total, context, false);
  const sentence =
    baseline === null
      ? views.inAll(evidence, shown)
      : views.withAndWithout(evidence, written(baseline, context, false), shown);
  return h("p", { class: "sum" }, sentence);
}
