/** A position between two ends; untouched is unanswered. */

import type { Slider } from "../../schema";
import type { Field, FieldContext } from "./field";
import { measured } from "./measured";
import { track } from "./track";

export function slider(question: Slider, context: FieldContext): Field {
  const dial = track({
    from: question.low,
    to: question.high,
    step: question.step,
    decimals: decimalsFor(question.step ?? (question.high - question.low) / 100),
    label: question.prompt,
    low: question.low_label,
    high: question.high_label,
    texts: context.texts,
    start: context.starts?.[question.question_id] ?? null,
    withUnit: (value) => context.withUnit?.(value) ?? value,
    changed: () => context.changed(),
  });
  const control = { ...dial, focus: () => dial.input.focus() };
  return measured(question, context, control, context.texts.questions.slide);
}

function decimalsFor(step: number): number {
  return Math.min(4, Math.max(0, Math.ceil(-Math.log10(step))));
}
