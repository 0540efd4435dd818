/** A slider that has no position until somebody gives it one. */

import { h } from "../dom";
import type { Hands } from "../hands";
import type { Texts } from "../texts";

export interface Track {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  value(): number | null;
  put(value: number): void;
  enter(value: number, hands: Hands): void;
}

export interface TrackOptions {
  readonly from: number;
  readonly to: number;
  readonly step: number | null;
  readonly decimals: number;
  readonly label: string;
  readonly low: string;
  readonly high: string;
  readonly texts: Texts;
  changed(): void;
}

export function track({ from, to, step, decimals, label, low, high, texts, changed }: TrackOptions): Track {
  let isSet = false;
  const input = h("input", { type: "range", min: from, max: to, step: step ?? "any", "aria-label": label });
  const output = h("output", { class: "reading" }, texts.questions.untouched);
  const ends = [h("span", {}, low || from.toFixed(decimals)), h("span", {}, high || to.toFixed(decimals))];
  const element = h(
    "div",
    { class: "track is-unset" },
    output,
    input,
    h("div", { class: "ends", "aria-hidden": "true" }, ...ends),
  );
  const show = () => {
    element.classList.toggle("is-unset", !isSet);
    const reading = isSet ? Number(input.value).toFixed(decimals) : texts.questions.untouched;
    output.textContent = reading;
    input.setAttribute(
      "aria-valuetext",
      isSet ? [reading, low && high ? `(${low} – ${high})` : ""].join(" ").trim() : reading,
    );
    input.style.setProperty("--share", String(isSet ? (Number(input.value) - from) / (to - from || 1) : 0));
  };
  const set = () => {
    isSet = true;
    show();
    changed();
  };
  input.value = String((from + to) / 2);
  input.addEventListener("input", set);
  // A click exactly on the hidden start, or Enter there, moves nothing and is an answer all the same.
  input.addEventListener("pointerup", set);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    set();
  });
  show();
  return {
    element,
    input,
    value: () => (isSet ? Math.min(to, Math.max(from, Number(input.value))) : null),
    put(value) {
      input.value = String(value);
      isSet = true;
      show();
    },
    enter: (value, hands) => hands.slide(input, value),
  };
}
