/** Dials without their live model: settings only, as outside the task that shows what they do. */

import { board } from "../../dials/board";
import { codeFrom, N_STEPS, oneHot, valueAt } from "../../dials/code";
import type { Dials } from "../../schema";
import { type Field, type FieldContext, framed } from "./field";

export function dials(question: Dials, context: FieldContext): Field {
  const made = board(question.dials, {
    texts: context.texts,
    labels: null,
    moved: () => context.changed(),
    released: () => undefined,
    labelled: () => undefined,
  });
  const middle = made.parts.flatMap(({ dial, n }) =>
    dial.kind === "discrete" ? oneHot(n, 0) : [valueAt(dial, N_STEPS / 2)],
  );
  const codeIn = (value: unknown) => codeFrom((value as { code?: number[] } | null)?.code, middle.length);
  made.put(middle);
  return {
    ...framed(question, context.texts, [made.element]),
    value: () => ({ code: made.code(), outcome: "skipped" }),
    fault: () => null,
    put: (value) => made.put(codeIn(value) ?? middle),
    enter: (value, hands) => made.enter(codeIn(value) ?? middle, hands),
    focus: () => made.element.querySelector("input")?.focus(),
  };
}
