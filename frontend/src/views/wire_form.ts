/** Wire form: reads an explanation as it comes, in today's flat form or in that of version 0.1.0. */

import type { Explanation, Json, JsonValue } from "../schema";

/** Returns a typed explanation. Version 0.1.0 wrote `{kind, payload}`, and the ends of an edit as `from` and `to`. */
export function explanationFrom(value: Explanation | Json): Explanation {
  const { payload, ...flat } = value as Json;
  if (!isObject(payload)) return value as Explanation;
  const fields: Json = { ...flat, ...payload };
  if (flat["kind"] === "path") fields["steps"] = listOf(payload["steps"]).map(stepFrom);
  if (flat["kind"] === "several")
    fields["parts"] = listOf(payload["parts"]).map((part) => explanationFrom(part as Json) as unknown as JsonValue);
  return fields as unknown as Explanation;
}

function stepFrom(step: JsonValue): JsonValue {
  if (!isObject(step)) return step;
  const edits = listOf(step["edits"]).map((edit) => {
    if (!isObject(edit) || !("from" in edit && "to" in edit)) return edit;
    const { from, to, ...rest } = edit;
    return { ...rest, old: from ?? "", new: to ?? "" };
  });
  return { ...step, edits };
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: JsonValue | undefined): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
