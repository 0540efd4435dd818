/** A slider that has no answer until somebody touches it; it may show a position where it starts. */

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
  /** A visible position before anybody touches it; null shows none. */
  readonly start: number | null;
  withUnit?(value: string): string;
  changed(): void;
}

export function track(options: TrackOptions): Track {
  const { from, to, step, decimals, label, low, high, texts, start, changed } = options;
  const read = (value: number) => {
    const digits = value.toFixed(decimals);
    return options.withUnit?.(digits) ?? digits;
  };
  let isSet = false;
  const input = h("input", { type: "range", min: from, max: to, step: step ?? "any", "aria-label": label });
  const untouched = start === null ? texts.questions.untouched : texts.questions.startsAt(read(start));
  const output = h("output", { class: "reading" }, untouched);
  const ends = [h("span", {}, low || read(from)), h("span", {}, high || read(to))];
  const element = h(
    "div",
    { class: "track" },
    output,
    input,
    h("div", { class: "ends", "aria-hidden": "true" }, ...ends),
  );
  const show = () => {
    element.classList.toggle("is-unset", !isSet && start === null);
    element.classList.toggle("is-start", !isSet && start !== null);
    const reading = isSet ? read(Number(input.value)) : untouched;
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
  input.value = String(start ?? (from + to) / 2);
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
