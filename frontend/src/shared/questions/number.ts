/** A typed number; a comma or a point marks its decimals, unless it sets off thousands as the language does. */

import type { JsonValue, Number as NumberQuestion } from "../../schema";
import { freshId, h } from "../dom";
import { type Field, type FieldContext, framed, unanswered } from "./field";

export function number(question: NumberQuestion, context: FieldContext): Field {
  const full = question;
  const { texts } = context;
  const id = freshId("number");
  const input = h("input", {
    type: "text",
    id,
    lang: context.language,
    class: "entry short",
    inputmode: full.is_whole ? "numeric" : "decimal",
    autocomplete: "off",
    oninput: () => context.changed(),
  });
  const line = h("div", { class: "entry-line" }, input, full.unit ? h("span", { class: "unit" }, full.unit) : null);
  const frame = framed(question, texts, [line], id);
  input.setAttribute("aria-describedby", frame.faultId);
  const parsed = () => numberFrom(input.value, context.language);
  return {
    element: frame.element,
    tell(fault) {
      frame.tell(fault);
      input.setAttribute("aria-invalid", String(fault !== null));
    },
    value: parsed,
    draft: () => (input.value.trim() === "" ? null : (parsed() ?? input.value)),
    fault() {
      if (input.value.trim() === "") return unanswered(question, texts.questions.number);
      const value = parsed();
      if (value === null) return texts.questions.number;
      if (full.is_whole && !Number.isInteger(value)) return texts.questions.whole;
      return outside(value, full, context);
    },
    put: (value) => (input.value = written(value, context.language)),
    enter: (value, hands) => hands.type(input, written(value, context.language)),
    focus: () => input.focus(),
  };
}

/** Reads a number the way people type it, or returns null. */
export function numberFrom(text: string, language: string): number | null {
  const { group, decimal } = marksOf(language);
  const bare = text.trim().replace(/[\s'’]/g, "");
  // 1,500 is fifteen hundred in English and one and a half in German; 0,500 is a half everywhere.
  const isGrouped = new RegExp(`^[+-]?[1-9]\\d{0,2}(\\${group}\\d{3})+(\\${decimal}\\d*)?$`).test(bare);
  const plain = (isGrouped ? bare.replaceAll(group, "") : bare).replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null;
}

/** Writes a number as people of the language type it: tiny ones too without an exponent. */
export function digitsOf(value: number, language: string): string {
  const plain = String(value);
  return (plain.includes("e-") ? value.toFixed(20) : plain).replace(".", marksOf(language).decimal);
}

function written(value: JsonValue, language: string): string {
  return typeof value === "number" ? digitsOf(value, language) : String(value);
}

function marksOf(language: string): { group: string; decimal: string } {
  const parts = new Intl.NumberFormat(language).formatToParts(1234567.5);
  const mark = (type: string) => parts.find((part) => part.type === type)?.value;
  return { group: mark("group") ?? ",", decimal: mark("decimal") ?? "." };
}

function outside(
  value: number,
  { low, high }: Required<NumberQuestion>,
  { texts, language }: FieldContext,
): string | null {
  const said = (bound: number) => new Intl.NumberFormat(language).format(bound);
  if ((low === null || value >= low) && (high === null || value <= high)) return null;
  if (low !== null && high !== null) return texts.questions.between(said(low), said(high));
  return low !== null ? texts.questions.atLeast(said(low)) : texts.questions.atMost(said(high ?? 0));
}
