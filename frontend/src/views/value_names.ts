/** Value names: what people read for the short values that data keep, such as the labels of a model. */

import type { Explanation, Json, JsonValue } from "../schema";

export type ValueNames = Readonly<Record<string, string>>;

/** Returns what is read for a value; the value itself where it has no name. */
export function named(value: JsonValue, names: ValueNames): JsonValue {
  return typeof value === "string" ? (names[value] ?? value) : value;
}

/** Returns an explanation whose answers stand there in words; features, words and cases stay as they are. */
export function inWords(explanation: Explanation, names: ValueNames): Explanation {
  return { ...explanation, payload: payloadInWords(explanation.payload, names) };
}

function payloadInWords(payload: Json, names: ValueNames): Json {
  const read: Json = { ...payload };
  for (const field of ["label", "toward"]) if (read[field] !== undefined) read[field] = named(read[field], names);
  if (Array.isArray(payload["labels"])) read["labels"] = payload["labels"].map((one) => named(one, names));
  if (Array.isArray(payload["parts"])) {
    const parts = payload["parts"] as unknown as readonly Explanation[];
    read["parts"] = parts.map((part) => inWords(part, names)) as unknown as JsonValue;
  }
  return read;
}
