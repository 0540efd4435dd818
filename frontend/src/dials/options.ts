/** Options: a discrete dial as a row of radio buttons; without words where those would give the answer away. */

import type { Dial } from "../schema";
import { freshId, h } from "../shared/dom";
import type { Texts } from "../shared/texts";
import { oneHot } from "./code";
import type { Control, Moves } from "./control";

export function options(dial: Dial, label: string, texts: Texts, moves: Moves): Control {
  const group = freshId("options");
  const n = dial.options.length;
  const inputs = dial.options.map((option, index) =>
    h("input", {
      type: "radio",
      name: group,
      value: index,
      "aria-label": dial.name ? option : texts.reconstruct.option(index + 1, n),
      onchange() {
        moves.moved(0);
        moves.released();
      },
    }),
  );
  const cells = inputs.map((input, index) =>
    h(
      "label",
      { class: "dial-option" },
      input,
      dial.name ? h("span", { "aria-hidden": "true" }, dial.options[index]) : null,
    ),
  );
  const chosen = (numbers: readonly number[]) => inputs[numbers.indexOf(1)];
  return {
    element: h("div", { class: "dial-options", role: "radiogroup", "aria-label": label }, ...cells),
    numbers: () =>
      oneHot(
        n,
        inputs.findIndex((input) => input.checked),
      ),
    put(numbers) {
      const input = chosen(numbers);
      if (input) input.checked = true;
    },
    lock: () => inputs.forEach((input) => (input.disabled = true)),
    enter(numbers, hands) {
      const input = chosen(numbers);
      if (input && !input.checked) hands.click(input);
    },
  };
}
