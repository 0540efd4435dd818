/** Params: what the Python half of the task sends, laid out along the dials. */

import type { ReconstructParams, ShownCard } from "../schema";
import { type Part, partsOf } from "./code";

/** The parameters, with the model's card and the places of its dials in a code. */
export interface Live extends ReconstructParams {
  readonly card: ShownCard;
  readonly parts: readonly Part[];
}

export function liveFrom(params: ReconstructParams): Live {
  const { card } = params.decoder;
  return { ...params, card, parts: partsOf(card.dials) };
}
