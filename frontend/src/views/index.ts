/** One view for each kind of explanation, so that a study compares methods and not artwork. */

import type { Explanation, Json } from "../schema";
import type { Context } from "../shared/task";
import { attribution } from "./attribution";
import { recordView } from "./record";

const VIEWS: Record<string, (payload: Json, context: Context) => HTMLElement> = { attribution };

/** Draws an explanation; a kind without a view of its own is shown as a table. */
export function explanationView(explanation: Explanation, context: Context): HTMLElement {
  return (VIEWS[explanation.kind] ?? recordView)(explanation.payload, context);
}
