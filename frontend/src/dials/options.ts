/** Options: a discrete dial as a row of radio buttons; without words where those would give the answer away. */

import type { Dial } from "../schema";
import { freshId, h } from "../shared/dom";
import type { Texts } from "../shared/texts";
import { oneHot } from "./code";
import type { Control, Moves } from "./control";

export function options(dial: Dial, label: string, texts: Texts, moves: Moves): Control {
  const group = freshId("options");
  const n = dial.options.length;
  const inputs = dial.options.map((option, place) =>
    h("input", {
      type: "radio",
      name: group,
      value: place,
      "aria-label": dial.name ? option : texts.reconstruct.option(place + 1, n),
      onchange() {
        moves.moved(0);
        moves.released();
      },
    }),
  );
  const cells = inputs.map((input, place) =>
    h(
      "label",
      { class: "dial-option" },
      input,
      dial.name ? h("span", { "aria-hidden": "true" }, dial.options[place]) : null,
    ),
  );
  const chosen = (numbers: readonly number[]) => inputs[numbers.indexOf(1)];
  return {
    element: h("div", { class: "dial-options", role: "radiogroup", "aria-label": label }, ...cells),
    numbers: () =>
      oneHot(
        n,
        inputs.findIndex((one) => one.checked),
      ),
    put(numbers) {
      const one = chosen(numbers);
      if (one) one.checked = true;
    },
    lock: () => inputs.forEach((one) => (one.disabled = true)),
    enter(numbers, hands) {
      const one = chosen(numbers);
      if (one && !one.checked) hands.click(one);
    },
  };
}
