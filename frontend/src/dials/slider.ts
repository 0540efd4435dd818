/** Slider: a continuous dial. Arrows move one step, page keys a tenth, Home and End to the ends; circles close. */

import type { Dial } from "../schema";
import { h } from "../shared/dom";
import { N_STEPS, stepAt, valueAt } from "./code";
import type { Control, Moves } from "./control";

const KEYS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: N_STEPS / 10,
  PageDown: -N_STEPS / 10,
};

export function slider(dial: Dial, label: string, moves: Moves): Control {
  const input = h("input", { type: "range", class: "dial", min: 0, max: N_STEPS, step: 1, "aria-label": label });
  let at = 0;
  let value = dial.low;
  let isKeyHeld = false;
  const show = () => {
    input.value = String(at);
    input.style.setProperty("--share", String(at / N_STEPS));
    input.setAttribute("aria-valuetext", `${Math.round((100 * at) / N_STEPS)} %`);
  };
  const move = (to: number, dir: number) => {
    if (to === at || input.disabled) return show();
    at = to;
    value = valueAt(dial, at);
    show();
    moves.moved(dir);
  };
  input.addEventListener("input", () => move(Number(input.value), Math.sign(Number(input.value) - at)));
  input.addEventListener("change", () => {
    if (!isKeyHeld) moves.released();
  });
  input.addEventListener("keydown", (event) => {
    const by = KEYS[event.key];
    const end = { Home: 0, End: N_STEPS }[event.key];
    if ((by === undefined && end === undefined) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    isKeyHeld = true;
    if (end !== undefined) move(end, Math.sign(end - at));
    else if (by !== undefined)
      move(dial.kind === "periodic" ? around(at, by) : Math.min(N_STEPS, Math.max(0, at + by)), Math.sign(by));
  });
  const letGo = () => {
    if (isKeyHeld) moves.released();
    isKeyHeld = false;
  };
  input.addEventListener("keyup", letGo);
  input.addEventListener("blur", letGo);
  return {
    element: input,
    numbers: () => [value],
    put([given = dial.low]) {
      value = given;
      at = stepAt(dial, given);
      show();
    },
    lock: () => (input.disabled = true),
    enter: ([given = dial.low], hands) => hands.slide(input, stepAt(dial, given)),
  };
}

/** Both ends of a circle are one place. */
function around(at: number, by: number): number {
  return (((at + by) % N_STEPS) + N_STEPS) % N_STEPS;
}
