/** One view for each kind of explanation, so that a study compares methods and not artwork. */

import type { Explanation, Json } from "../schema";
import type { Context } from "../shared/task";
import { attribution } from "./attribution";
import { path } from "./path";
import { recordView } from "./record";
import { rule } from "./rule";
import { several } from "./several";
import { similarCase } from "./similar_case";
import { tokenAttribution } from "./token_attribution";

type View = (payload: Json, context: Context, order: readonly string[]) => HTMLElement;

const VIEWS: Record<string, View> = {
  attribution,
  path,
  rule,
  several: (payload, context, order) => several(payload, context, (part) => explanationView(part, context, order)),
  similar_case: similarCase,
  token_attribution: tokenAttribution,
};

/** Draws an explanation; a kind without a view of its own is shown as a table. */
export function explanationView(
  explanation: Explanation,
  context: Context,
  order: readonly string[] = [],
): HTMLElement {
  return (VIEWS[explanation.kind] ?? recordView)(explanation.payload, context, order);
}
