/** Rules: follows a stop rule over the answers of a block, as schema/expression.py does; what is missing stays missing. */

import type { JsonValue } from "../schema";
import { markOf } from "./seals";

/** Nested lists, an operator first. */
type Tree = readonly JsonValue[];
type Value = JsonValue | undefined;

const LONGEST_TEXT = 100_000;

/** Tells whether a rule holds. */
export function holds(tree: Tree, names: Readonly<Record<string, JsonValue>>): boolean {
  return isTrue(evaluated(tree, names));
}

function evaluated(tree: Tree, names: Readonly<Record<string, JsonValue>>): JsonValue {
  const [kind, ...parts] = tree;
  const inner = (part: Value) => evaluated(treeOf(part), names);
  switch (kind) {
    case "value":
      return parts[0] ?? null;
    case "name":
      return names[String(parts[0])] ?? null;
    case "list":
      return parts.map(inner);
    case "not":
      return negated(inner(parts[0]));
    case "and":
      return joined(parts.map(inner), false);
    case "or":
      return joined(parts.map(inner), true);
    case "missing":
      return inner(parts[0]) === null;
    case "abs":
    case "negative":
      return signed(kind, inner(parts[0]));
    case "compare":
      return compared(
        inner(parts[0]),
        parts.slice(1).map((pair) => [String(treeOf(pair)[0]), treeOf(pair)[1]]),
        inner,
      );
  }
  return computed(String(kind), inner(parts[0]), inner(parts[1]));
}

function treeOf(part: Value): Tree {
  return Array.isArray(part) ? part : [];
}

/** What `and` (or `or`) gives: the first part that decides, and nothing where a missing part could have decided. */
function joined(parts: JsonValue[], decisive: boolean): JsonValue {
  const first = parts.find((part) => part !== null && isTrue(part) === decisive);
  if (first !== undefined) return first;
  return parts.includes(null) ? null : (parts.at(-1) ?? null);
}

function compared(first: JsonValue, pairs: [string, Value][], inner: (tree: Value) => JsonValue): boolean | null {
  let left = first;
  let result: boolean | null = true;
  for (const [sign, tree] of pairs) {
    const right = inner(tree);
    const isMet = left === null || right === null ? null : isSo(sign, left, right);
    if (isMet === false) return false;
    result = isMet && result;
    left = right;
  }
  return result;
}

function isSo(sign: string, left: JsonValue, right: JsonValue): boolean | null {
  switch (sign) {
    case "==":
      return isSame(left, right);
    case "!=":
      return !isSame(left, right);
    case "in":
      return isWithin(left, right);
    case "not in": {
      const isIn = isWithin(left, right);
      return isIn === null ? null : !isIn;
    }
  }
  // As in Python, texts are compared with texts; a rule that mixes them with numbers cannot be decided.
  if (typeof left === "string" && typeof right === "string") return isOrdered(sign, left, right);
  const [a, b] = [numberIn(left), numberIn(right)];
  return a === null || b === null ? null : isOrdered(sign, a, b);
}

function isOrdered<T extends number | string>(sign: string, a: T, b: T): boolean {
  return sign === "<" ? a < b : sign === "<=" ? a <= b : sign === ">" ? a > b : a >= b;
}

function isSame(left: JsonValue, right: JsonValue): boolean {
  return markOf(left) === markOf(right);
}

function isWithin(left: JsonValue, right: JsonValue): boolean | null {
  if (typeof right === "string") return typeof left === "string" ? right.includes(left) : null;
  if (!Array.isArray(right)) return null;
  if (right.some((item) => isSame(left, item))) return true;
  return right.includes(null) ? null : false;
}

function computed(sign: string, left: JsonValue, right: JsonValue): JsonValue {
  if (sign === "+" && typeof left === "string" && typeof right === "string") {
    return left.length + right.length <= LONGEST_TEXT ? left + right : null;
  }
  const [a, b] = [numberIn(left), numberIn(right)];
  if (a === null || b === null) return null;
  const value = sign === "+" ? a + b : sign === "-" ? a - b : sign === "*" ? a * b : a / b;
  return Number.isFinite(value) ? value : null;
}

function signed(kind: string, value: JsonValue): JsonValue {
  const number = numberIn(value);
  if (number === null) return null;
  return kind === "abs" ? Math.abs(number) : -number;
}

/** A number, or a condition as 1 or 0; texts and lists are none. */
function numberIn(value: JsonValue): number | null {
  return typeof value === "number" || typeof value === "boolean" ? Number(value) : null;
}

function negated(value: JsonValue): JsonValue {
  return value === null ? null : !isTrue(value);
}

/** What Python counts as true: an empty text or list is not. */
function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value !== null && typeof value === "object") return Object.keys(value).length > 0;
  return Boolean(value);
}
