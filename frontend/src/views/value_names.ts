/** Value names: what people read for the short values that data keep, such as the labels of a model. */

import type { Explanation, JsonValue } from "../schema";

export type ValueNames = Readonly<Record<string, string>>;

/** Returns what is read for a value; the value itself where it has no name. */
export function named(value: JsonValue, names: ValueNames): JsonValue {
  return typeof value === "string" ? (names[value] ?? value) : value;
}

/** Returns an explanation that names its answers in words; features, words and cases stay as they are. */
export function inWords(explanation: Explanation, names: ValueNames): Explanation {
  const read = (value: string) => names[value] ?? value;
  const toward = (value: string | null | undefined) => (value ? { toward: read(value) } : {});
  switch (explanation.kind) {
    case "attribution":
    case "token_attribution":
      return { ...explanation, ...toward(explanation.toward) };
    case "rule":
      return { ...explanation, label: read(explanation.label) };
    case "similar_case":
      return { ...explanation, label: read(explanation.label), ...toward(explanation.toward) };
    case "path":
      return { ...explanation, toward: read(explanation.toward), labels: (explanation.labels ?? []).map(read) };
    case "heatmap":
      return {
        ...explanation,
        layers: explanation.layers.map((layer) => ({ ...layer, label: read(layer.label ?? "") })),
      };
    case "picture_grid":
      return {
        ...explanation,
        row_headings: (explanation.row_headings ?? []).map(read),
        column_headings: (explanation.column_headings ?? []).map(read),
      };
    case "alternatives":
      return { ...explanation, options: explanation.options.map((option) => inWords(option, names)) };
    case "several":
      return { ...explanation, parts: explanation.parts.map((part) => inWords(part, names)) };
    default:
      // A kind of an extension names its values itself.
      return explanation;
  }
}
