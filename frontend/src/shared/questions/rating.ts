/** A point on a labelled scale: Likert, single ease question, confidence. */

import type { Rating } from "../../schema";
import type { Field, FieldContext } from "./field";
import { measured } from "./measured";
import { scale } from "./scale";

export function rating(question: Rating, context: FieldContext): Field {
  const points = scale({
    points: question.points,
    label: question.prompt,
    low: question.low_label,
    high: question.high_label,
    labels: question.labels,
    isFramed: true,
    texts: context.texts,
    changed: () => context.changed(),
  });
  return measured(question, context, points, context.texts.questions.rate);
}
