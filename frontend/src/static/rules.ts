/** Rules: follows a stop rule over the answers of a block; what is missing satisfies nothing. */

import type { JsonValue } from "../schema";
import { markOf } from "./seals";

/** Nested lists, an operator first. */
type Tree = readonly JsonValue[];
type Value = JsonValue | undefined;

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
      return parts.map(inner).every(isTrue);
    case "or":
      return parts.map(inner).some(isTrue);
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

function compared(first: JsonValue, pairs: [string, Value][], inner: (tree: Value) => JsonValue): boolean {
  let left = first;
  return pairs
    .map(([sign, tree]) => {
      const right = inner(tree);
      const isMet = left !== null && right !== null && isSo(sign, left, right);
      left = right;
      return isMet;
    })
    .every(Boolean);
}

function isSo(sign: string, left: JsonValue, right: JsonValue): boolean {
  switch (sign) {
    case "==":
      return isSame(left, right);
    case "!=":
      return !isSame(left, right);
    case "in":
    case "not in":
      return isWithin(left, right) === (sign === "in");
  }
  // As in Python, texts are compared with texts; a rule that mixes them with numbers holds for nothing.
  if (typeof left === "string" && typeof right === "string") return isOrdered(sign, left, right);
  return isOrdered(sign, Number(left), Number(right));
}

function isOrdered<T extends number | string>(sign: string, a: T, b: T): boolean {
  return sign === "<" ? a < b : sign === "<=" ? a <= b : sign === ">" ? a > b : a >= b;
}

function isSame(left: JsonValue, right: JsonValue): boolean {
  return markOf(left) === markOf(right);
}

function isWithin(left: JsonValue, right: JsonValue): boolean {
  if (typeof right === "string") return right.includes(String(left));
  return Array.isArray(right) && right.some((item) => isSame(left, item));
}

function computed(sign: string, left: JsonValue, right: JsonValue): JsonValue {
  if (left === null || right === null) return null;
  if (sign === "+" && typeof left === "string") return left + String(right);
  const [a, b] = [Number(left), Number(right)];
  const value = sign === "+" ? a + b : sign === "-" ? a - b : sign === "*" ? a * b : a / b;
  return Number.isFinite(value) ? value : null;
}

function signed(kind: string, value: JsonValue): JsonValue {
  if (value === null) return null;
  return kind === "abs" ? Math.abs(Number(value)) : -Number(value);
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
