/** A typed number; a comma or a point marks its decimals. */

import type { Number as NumberQuestion } from "../../schema";
import { freshId, h } from "../dom";
import { type Field, type FieldContext, framed, unanswered, whole } from "./field";

export function number(question: NumberQuestion, context: FieldContext): Field {
  const full = whole(question);
  const { texts } = context;
  const id = freshId("number");
  const input = h("input", {
    type: "text",
    id,
    class: "entry short",
    inputmode: full.is_whole ? "numeric" : "decimal",
    autocomplete: "off",
    oninput: () => context.changed(),
  });
  const line = h("div", { class: "entry-line" }, input, full.unit ? h("span", { class: "unit" }, full.unit) : null);
  const frame = framed(question, texts, [line], id);
  input.setAttribute("aria-describedby", frame.faultId);
  const parsed = () => numberFrom(input.value);
  return {
    element: frame.element,
    tell(fault) {
      frame.tell(fault);
      input.setAttribute("aria-invalid", String(fault !== null));
    },
    value: parsed,
    fault() {
      if (input.value.trim() === "") return unanswered(question, texts.questions.number);
      const value = parsed();
      if (value === null) return texts.questions.number;
      if (full.is_whole && !Number.isInteger(value)) return texts.questions.whole;
      return outside(value, full, context);
    },
    put: (value) => (input.value = String(value)),
    enter: (value, hands) => hands.type(input, typeof value === "number" ? digitsOf(value) : String(value)),
    focus: () => input.focus(),
  };
}

/** Reads a number the way people type it, or returns null. */
export function numberFrom(text: string): number | null {
  const plain = text.trim().replace(/[\s']/g, "").replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null;
}

/** Writes a number as people type it: tiny ones too without an exponent. */
export function digitsOf(value: number): string {
  const plain = String(value);
  return plain.includes("e-") ? value.toFixed(20) : plain;
}

function outside(value: number, { low, high }: Required<NumberQuestion>, { texts, language }: FieldContext): string | null {
  const said = (bound: number) => new Intl.NumberFormat(language).format(bound);
  if ((low === null || value >= low) && (high === null || value <= high)) return null;
  if (low !== null && high !== null) return texts.questions.between(said(low), said(high));
  return low !== null ? texts.questions.atLeast(said(low)) : texts.questions.atMost(said(high ?? 0));
}
