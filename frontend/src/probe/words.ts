/** Words: the four result sets, and which hypotheses stand together. */

import type { HypothesisId, ResultId } from "./verdicts";

/** The four result sets as a reader meets them. */
export const RESULT_WORDS: Readonly<Record<ResultId, { short: string; long: string; told: string }>> = {
  PP: { short: "M+ D+", long: "M+ on D+", told: "trained and tested with it" },
  PD: { short: "M+ D", long: "M+ on D", told: "trained with, tested without" },
  MP: { short: "M D+", long: "M on D+", told: "trained without, tested with" },
  MD: { short: "M D", long: "M on D", told: "trained and tested without" },
};

/** The six opposed or neighbouring pairs, in the order of the picture. */
export const PAIRS: readonly (readonly [HypothesisId, HypothesisId])[] = [
  ["H1", "H2"],
  ["H3", "H4"],
  ["H5", "H6"],
  ["H7", "H8"],
  ["H9", "H10"],
  ["H11", "H12"],
];
