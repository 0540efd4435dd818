/** Controls: the threshold, the layout and the group; made once, so that a hand on them is never disturbed. */

import { freshId, h } from "../shared/dom";
import { alphaAt, alphaText, LARGEST_ALPHA, SLIDER_STEPS, SMALLEST_ALPHA, sliderPlace } from "./chances";
import type { Layout } from "./layouts";
import { thresholdWords } from "./panels";
import type { Flip } from "./reading";
import type { Verdicts } from "./verdicts";

export interface Turned {
  alpha(alpha: number): void;
  layout(layout: Layout | "auto"): void;
  group(name: string | null): void;
}

export interface Controls {
  readonly element: HTMLElement;
  /** Brings the controls to what the picture shows; the slider is left alone while it is where the hand put it. */
  show(alpha: number, group: string | null, flips: readonly Flip[]): void;
}

/** Makes the controls; every turn is told at once. */
export function controlsFor(verdicts: Verdicts, turned: Turned): Controls {
  const slider = h("input", { type: "range", min: 0, max: SLIDER_STEPS, step: 1, "aria-label": "Threshold on p" });
  const field = h("input", {
    type: "number",
    class: "probe-alpha",
    min: SMALLEST_ALPHA,
    max: LARGEST_ALPHA,
    step: "any",
    "aria-label": "Threshold on p, as a number",
  });
  const ticks = h("div", { class: "probe-ticks", "aria-hidden": "true" });
  const groups = h(
    "select",
    { "aria-label": "Group" },
    h("option", { value: "" }, "All objects"),
    ...(verdicts.groups ?? []).map((group) => h("option", { value: group.name }, `${group.name} (${group.n})`)),
  );
  slider.addEventListener("input", () => turned.alpha(alphaAt(Number(slider.value))));
  field.addEventListener("change", () => {
    const typed = Number(field.value);
    if (typed > 0 && typed < 1) turned.alpha(typed);
  });
  groups.addEventListener("change", () => turned.group(groups.value === "" ? null : groups.value));
  const element = h(
    "div",
    { class: "probe-controls" },
    h(
      "div",
      { class: "probe-threshold" },
      h("span", { class: "label" }, "Threshold on p"),
      h("div", { class: "track" }, slider, ticks),
      field,
    ),
    layoutChoice(turned),
    (verdicts.groups ?? []).length > 0
      ? h("label", { class: "probe-pick" }, h("span", { class: "label" }, "Group"), groups)
      : null,
  );
  let drawn: readonly Flip[] | null = null;
  return {
    element,
    show(alpha, group, flips) {
      if (alphaAt(Number(slider.value)) !== alpha) slider.value = String(sliderPlace(alpha));
      slider.style.setProperty("--share", String(sliderPlace(alpha) / SLIDER_STEPS));
      slider.setAttribute("aria-valuetext", thresholdWords(alpha));
      if (Number(field.value) !== alpha) field.value = alphaText(alpha);
      if (groups.value !== (group ?? "")) groups.value = group ?? "";
      if (flips !== drawn)
        ticks.replaceChildren(
          ...[...new Set(flips.map((flip) => flip.alpha))]
            .filter((threshold) => threshold >= SMALLEST_ALPHA && threshold <= LARGEST_ALPHA)
            .map(tick),
        );
      drawn = flips;
    },
  };
}

function tick(alpha: number): HTMLElement {
  const made = h("span", {});
  made.style.setProperty("--at", String(sliderPlace(alpha) / SLIDER_STEPS));
  return made;
}

function layoutChoice(turned: Turned): HTMLElement {
  const name = freshId("layout");
  const options = (["auto", "horizontal", "vertical"] as const).map((value) => {
    const radio = h("input", { type: "radio", name, value, checked: value === "auto" });
    radio.addEventListener("change", () => turned.layout(value));
    return h("label", {}, radio, h("span", {}, { auto: "Fit", horizontal: "Wide", vertical: "Tall" }[value]));
  });
  return h("fieldset", { class: "probe-layout" }, h("legend", { class: "label" }, "Layout"), ...options);
}
