/** One scale from 1 to n: a row of points, or a slider without a start where the points are too many. */

import { freshId, h } from "../dom";
import type { Hands } from "../hands";
import type { Texts } from "../texts";
import { track } from "./track";

export interface Scale {
  readonly element: HTMLElement;
  value(): number | null;
  put(value: number): void;
  enter(value: number, hands: Hands): void;
  focus(): void;
}

const MOST_POINTS_IN_A_ROW = 11;

export interface ScaleOptions {
  readonly points: number;
  readonly label: string;
  readonly low: string;
  readonly high: string;
  readonly labels: readonly string[];
  /** Whether the frame around it has the label already, so that it would be read twice. */
  readonly isFramed?: boolean;
  readonly texts: Texts;
  changed(): void;
}

export function scale(options: ScaleOptions): Scale {
  if (options.points > MOST_POINTS_IN_A_ROW) {
    const slider = track({ ...options, from: 1, to: options.points, step: 1, decimals: 0, start: null });
    return { ...slider, focus: () => slider.input.focus() };
  }
  return pointsInARow(options);
}

function pointsInARow({ points, label, low, high, labels, isFramed, changed }: ScaleOptions): Scale {
  const name = freshId("scale");
  const inputs = Array.from({ length: points }, (_, index) =>
    h("input", {
      type: "radio",
      name,
      value: index + 1,
      "aria-label": spoken(index, { points, low, high, labels }),
      onchange: changed,
    }),
  );
  const cells = inputs.map((input, index) =>
    h("label", { class: "point" }, input, h("span", { "aria-hidden": "true" }, labels[index] ?? String(index + 1))),
  );
  const ends =
    labels.length === 0 && (low || high)
      ? h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, low), h("span", {}, high))
      : null;
  const element = h(
    "div",
    isFramed ? { class: "scale" } : { class: "scale", role: "radiogroup", "aria-label": label },
    h("div", { class: labels.length > 0 ? "points is-worded" : "points" }, ...cells),
    ends,
  );
  return {
    element,
    value() {
      const checked = inputs.find((input) => input.checked);
      return checked ? Number(checked.value) : null;
    },
    put: (value) => inputs.forEach((input) => (input.checked = Number(input.value) === value)),
    enter: (value, hands) =>
      inputs.filter((input) => Number(input.value) === value).forEach((input) => hands.click(input)),
    focus: () => inputs[0]?.focus(),
  };
}

function spoken(
  index: number,
  { points, low, high, labels }: Pick<ScaleOptions, "points" | "low" | "high" | "labels">,
): string {
  const end = index === 0 ? low : index === points - 1 ? high : "";
  const words = labels[index] ?? end;
  return words ? `${index + 1}: ${words}` : String(index + 1);
}
