/** A position between two ends; untouched is unanswered. */

import type { Slider } from "../../schema";
import { type Field, type FieldContext, framed, unanswered } from "./field";
import { track } from "./track";

export function slider(question: Slider, context: FieldContext): Field {
  const full = question;
  const dial = track({
    from: full.low,
    to: full.high,
    step: full.step,
    decimals: decimalsFor(full.step ?? (full.high - full.low) / 100),
    label: question.prompt,
    low: full.low_label,
    high: full.high_label,
    texts: context.texts,
    changed: () => context.changed(),
  });
  const frame = framed(question, context.texts, [dial.element]);
  return {
    ...frame,
    value: dial.value,
    fault: () => (dial.value() === null ? unanswered(question, context.texts.questions.slide) : null),
    put: (value) => {
      if (typeof value === "number") dial.put(value);
    },
    enter: (value, hands) => {
      if (typeof value === "number") dial.enter(value, hands);
    },
    focus: () => dial.input.focus(),
  };
}

function decimalsFor(step: number): number {
  return Math.min(4, Math.max(0, Math.ceil(-Math.log10(step))));
}
