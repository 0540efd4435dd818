/** One of several options, as cards. */

import type { Choice } from "../../schema";
import { freshId, h } from "../dom";
import { type Field, type FieldContext, framed, optionList, unanswered } from "./field";

export function choice(question: Choice, context: FieldContext): Field {
  const full = question;
  const options = full.is_shuffled ? context.ordered(question.question_id, full.options) : full.options;
  const name = freshId("choice");
  const inputs = options.map((option) =>
    h("input", { type: "radio", name, value: option, onchange: () => context.changed() }),
  );
  const read = options.map((option) => context.names?.[option] ?? option);
  const cards = inputs.map((input, index) => h("label", { class: "option" }, input, h("span", {}, read[index] ?? "")));
  const frame = framed(question, context.texts, [optionList(read, cards, true)]);
  const value = () => inputs.find((input) => input.checked)?.value ?? null;
  return {
    ...frame,
    value,
    fault: () => (value() === null ? unanswered(question, context.texts.questions.choose) : null),
    put: (wanted) => inputs.forEach((input) => (input.checked = input.value === wanted)),
    enter: (wanted, hands) => inputs.filter((input) => input.value === wanted).forEach((input) => hands.click(input)),
    focus: () => inputs[0]?.focus(),
  };
}
