/** Answers: the checks a server makes before it stores one, so that no file is refused for it later. */

import { partsOf } from "../dials/code";
import type { Dial, Json, JsonValue, Question } from "../schema";

/** Says what is wrong with the answers of a trial, or null. */
export function faultOfAnswers(asks: readonly Question[], response: Json): string | null {
  for (const question of asks) {
    const value = response[question.question_id] ?? null;
    if (value === null && question.is_required) return `'${question.question_id}' is not answered.`;
    if (value !== null && !isPossible(question, value)) return `Not a possible answer to '${question.question_id}'.`;
  }
  const asked = new Set(asks.map((question) => question.question_id));
  const unasked = Object.keys(response).find((id) => !asked.has(id));
  return unasked === undefined ? null : `'${unasked}' was not asked.`;
}

/** Tells whether a value is a possible answer. */
export function isPossible(question: Question, value: JsonValue): boolean {
  switch (question.kind) {
    case "choice":
      return typeof value === "string" && question.options.includes(value);
    case "multiple_choice": {
      const chosen = Array.isArray(value) ? value : null;
      const ordered = question.options.filter((option) => chosen?.includes(option));
      return chosen !== null && chosen.length >= question.min_chosen && isSameList(chosen, ordered);
    }
    case "rating":
      return isPoint(value, question.points);
    case "matrix": {
      if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
      const rows = Object.keys(value);
      const isWhole = rows.length === question.rows.length && question.rows.every((row) => rows.includes(row));
      return isWhole && Object.values(value).every((point) => isPoint(point, question.points));
    }
    case "slider":
      return isWithin(value, question.low, question.high);
    case "number":
      return (
        isWithin(value, question.low ?? -Infinity, question.high ?? Infinity) &&
        (!question.is_whole || Number.isInteger(value))
      );
    case "text":
      return (
        typeof value === "string" &&
        length(bareText(value)) >= question.min_chars &&
        length(value) <= question.max_chars
      );
    case "ranking":
      return Array.isArray(value) && isSameList([...value].sort(), [...question.options].sort());
    case "dials": {
      if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
      const { code, outcome, ...more } = value;
      return (
        Object.keys(more).length === 0 &&
        (outcome === "solved" || outcome === "skipped") &&
        isCode(question.dials, code)
      );
    }
  }
}

function isCode(dials: readonly Dial[], code: JsonValue | undefined): boolean {
  const parts = partsOf(dials);
  const n = parts.reduce((sum, part) => sum + part.n, 0);
  if (!Array.isArray(code) || code.length !== n) return false;
  return parts.every(({ dial, first, n: wide }) => {
    const own = code.slice(first, first + wide);
    if (dial.kind !== "discrete") return isWithin(own[0], dial.low, dial.high);
    return (
      own.filter((number) => number === 1).length === 1 && own.filter((number) => number === 0).length === wide - 1
    );
  });
}

function isWithin(value: JsonValue | undefined, low: number, high: number): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= low && value <= high;
}

function isPoint(value: JsonValue | undefined, points: number): boolean {
  return Number.isInteger(value) && isWithin(value, 1, points);
}

function isSameList(list: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return list.length === other.length && list.every((value, index) => value === other[index]);
}

function length(text: string): number {
  return [...text].length;
}

/** Leaves out what either language counts as blank. */
function bareText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Python strips these separators, JavaScript does not.
  return text.replace(/^[\s\x1c-\x1f\x85]+|[\s\x1c-\x1f\x85]+$/gu, "");
}
