/** A field whose answer is a number from one control. */

import type { Rating, Slider } from "../../schema";
import { type Field, type FieldContext, framed, unanswered } from "./field";
import type { Scale } from "./scale";

/** Makes a field of a control; `missing` is said while a required answer is absent. */
export function measured(question: Rating | Slider, context: FieldContext, control: Scale, missing: string): Field {
  return {
    ...framed(question, context.texts, [control.element]),
    value: control.value,
    fault: () => (control.value() === null ? unanswered(question, missing) : null),
    put: (value) => {
      if (typeof value === "number") control.put(value);
    },
    enter: (value, hands) => {
      if (typeof value === "number") control.enter(value, hands);
    },
    focus: control.focus,
  };
}
