/** Several statements on one scale, such as the six of the NASA-TLX. */

import type { Answer, Matrix } from "../../schema";
import { h } from "../dom";
import { type Field, type FieldContext, framed, unanswered } from "./field";
import { scale } from "./scale";

export function matrix(question: Matrix, context: FieldContext): Field {
  const { texts } = context;
  const rows = question.rows.map((label) => ({
    label,
    scale: scale({
      points: question.points,
      label,
      low: question.low_label,
      high: question.high_label,
      labels: [],
      texts,
      changed: () => context.changed(),
    }),
  }));
  const lines = rows.map((row) =>
    h("div", { class: "row" }, h("span", { class: "statement" }, row.label), row.scale.element),
  );
  const frame = framed(question, texts, [h("div", { class: "matrix" }, ...lines)]);
  const given = (): Record<string, number> =>
    Object.fromEntries(
      rows.flatMap((row) => {
        const point = row.scale.value();
        return point === null ? [] : [[row.label, point]];
      }),
    );
  const nGiven = () => Object.keys(given()).length;
  const rate = (value: Answer, give: (row: (typeof rows)[number], point: number) => void) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return;
    for (const row of rows) {
      const point = Object.entries(value).find(([label]) => label === row.label)?.[1];
      if (typeof point === "number") give(row, point);
    }
  };
  return {
    ...frame,
    value: () => (nGiven() === rows.length ? given() : null),
    draft: () => (nGiven() > 0 ? given() : null),
    fault() {
      if (nGiven() === rows.length) return null;
      const sentence = `${texts.questions.rateAll} ${texts.questions.rated(nGiven(), rows.length)}.`;
      return nGiven() > 0 ? sentence : unanswered(question, sentence);
    },
    put: (value) => rate(value, (row, point) => row.scale.put(point)),
    enter: (value, hands) => rate(value, (row, point) => row.scale.enter(point, hands)),
    focus: () => (rows.find((row) => row.scale.value() === null) ?? rows[0])?.scale.focus(),
  };
}
