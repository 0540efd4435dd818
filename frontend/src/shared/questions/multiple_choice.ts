/** Any number of several options, as cards. */

import type { MultipleChoice } from "../../schema";
import { h } from "../dom";
import { type Field, type FieldContext, framed, optionList, unanswered } from "./field";

export function multipleChoice(question: MultipleChoice, context: FieldContext): Field {
  const full = question;
  const { texts } = context;
  let isTouched = false;
  const changed = () => {
    isTouched = true;
    context.changed();
  };
  const inputs = full.options.map((option) => h("input", { type: "checkbox", value: option, onchange: changed }));
  const cards = inputs.map((input) => h("label", { class: "option" }, input, h("span", {}, input.value)));
  const frame = framed(question, texts, [
    h("p", { class: "hint" }, texts.questions.any),
    optionList(full.options, cards),
  ]);
  const chosen = () => inputs.filter((input) => input.checked).map((input) => input.value);
  return {
    ...frame,
    // Nothing ticked is an answer where none is asked for at least: "none of these" must be sayable.
    value: () => (chosen().length > 0 || isTouched || (full.is_required && full.min_chosen === 0) ? chosen() : null),
    fault() {
      const n = chosen().length;
      if (n >= full.min_chosen) return null;
      const sentence = texts.questions.chooseAtLeast(full.min_chosen);
      return n > 0 || isTouched ? sentence : unanswered(question, sentence);
    },
    put(wanted) {
      const values = Array.isArray(wanted) ? wanted : [];
      inputs.forEach((input) => (input.checked = values.includes(input.value)));
      isTouched = true;
    },
    enter(wanted, hands) {
      const values = Array.isArray(wanted) ? wanted : [];
      for (const input of inputs) if (input.checked !== values.includes(input.value)) hands.click(input);
      // "None of these" is said by ticking something and taking it back.
      if (values.length === 0 && inputs[0] && !isTouched) for (const _ of "12") hands.click(inputs[0]);
    },
    focus: () => inputs[0]?.focus(),
  };
}
