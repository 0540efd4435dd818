/** Words of the participant's own, with a counter where a minimum is asked. */

import type { FreeText } from "../../schema";
import { freshId, h } from "../dom";
import { type Field, type FieldContext, framed, unanswered } from "./field";

/** The most characters that two lines have room for. */
export const SHORT_TEXT = 120;

export function text(question: FreeText, context: FieldContext): Field {
  const full = question;
  const { texts } = context;
  const id = freshId("text");
  const counter = full.min_chars > 0 ? h("p", { class: "counter", id: `${id}-counter` }) : null;
  const input = h("textarea", { id, class: "entry", rows: rowsFor(full), maxlength: full.max_chars });
  const count = () => {
    const n = input.value.trim().length;
    if (counter) counter.textContent = texts.questions.counter(n, full.min_chars);
    counter?.classList.toggle("is-enough", n >= full.min_chars);
  };
  input.addEventListener("input", () => {
    count();
    context.changed();
  });
  count();
  const frame = framed(question, texts, [input, counter], id);
  input.setAttribute("aria-describedby", [frame.faultId, counter?.id].filter(Boolean).join(" "));
  return {
    element: frame.element,
    tell(fault) {
      frame.tell(fault);
      input.setAttribute("aria-invalid", String(fault !== null));
    },
    value: () => (input.value.trim() === "" ? null : input.value),
    fault() {
      const n = input.value.trim().length;
      if (n === 0)
        return unanswered(
          question,
          full.min_chars > 0 ? texts.questions.longer(full.min_chars) : texts.questions.write,
        );
      return n < full.min_chars ? texts.questions.longer(full.min_chars) : null;
    },
    put(value) {
      input.value = String(value);
      count();
    },
    enter: (value, hands) => hands.type(input, String(value)),
    focus: () => input.focus(),
  };
}

/** As much room as the answer may need. */
function rowsFor({ min_chars, max_chars }: FreeText): number {
  if (max_chars <= SHORT_TEXT) return 2;
  return min_chars > 200 ? 7 : 4;
}
