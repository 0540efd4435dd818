/** A point on a labelled scale: Likert, single ease question, confidence. */

import type { Rating } from "../../schema";
import { type Field, type FieldContext, framed, unanswered } from "./field";
import { scale } from "./scale";

export function rating(question: Rating, context: FieldContext): Field {
  const full = question;
  const points = scale({
    points: full.points,
    label: question.prompt,
    low: full.low_label,
    high: full.high_label,
    labels: full.labels,
    texts: context.texts,
    changed: () => context.changed(),
  });
  const frame = framed(question, context.texts, [points.element]);
  return {
    ...frame,
    value: points.value,
    fault: () => (points.value() === null ? unanswered(question, context.texts.questions.rate) : null),
    put: (value) => {
      if (typeof value === "number") points.put(value);
    },
    enter: (value, hands) => {
      if (typeof value === "number") points.enter(value, hands);
    },
    focus: points.focus,
  };
}
