/** Stated: evidence for what the model said, where a page shows its answer; readers need not turn signs round. */

import type { Explanation, JsonValue } from "../schema";

/** Returns an explanation whose plus speaks for the given answer, if its minus did and there are only two. */
export function statedFor(explanation: Explanation, answer: JsonValue | undefined): Explanation {
  switch (explanation.kind) {
    case "attribution": {
      if (!isTurned(explanation, answer)) return explanation;
      const { features, weights, values = [] } = explanation;
      // Sorted lists stay sorted; any other order is the study's, so that readers can compare items.
      const isSorted = weights.every((weight, index) => index === 0 || weight <= (weights[index - 1] ?? weight));
      const order = <T>(list: readonly T[]) => (isSorted ? [...list].reverse() : [...list]);
      return {
        ...explanation,
        ...turned(explanation),
        features: order(features),
        weights: order(negated(weights)),
        values: order(values),
      };
    }
    case "token_attribution":
      if (!isTurned(explanation, answer)) return explanation;
      return { ...explanation, ...turned(explanation), weights: negated(explanation.weights) };
    case "similar_case": {
      if (!isTurned(explanation, answer)) return explanation;
      const { importance, toward = null, against = null } = explanation;
      return {
        ...explanation,
        toward: against,
        against: toward,
        importance: { ...importance, weights: negated(importance.weights) },
      };
    }
    case "several":
      return { ...explanation, parts: explanation.parts.map((part) => statedFor(part, answer)) };
    default:
      return explanation;
  }
}

interface Weighed {
  readonly toward?: string | null;
  readonly against?: string | null;
  readonly baseline?: number | null;
  readonly total?: number | null;
  readonly even?: number | null;
}

function isTurned({ against = null, total = null, even = null }: Weighed, answer: JsonValue | undefined): boolean {
  // A sum can only be turned round its own middle, which not every method knows.
  return against !== null && against === answer && (total === null || even !== null);
}

function turned({ toward = null, against = null, baseline = null, total = null, even = null }: Weighed): Weighed {
  const other = (sum: number | null) => (sum === null ? null : 2 * (even ?? 0) - sum);
  return { toward: against, against: toward, baseline: other(baseline), total: other(total) };
}

function negated(weights: readonly number[]): number[] {
  return weights.map((weight) => (weight === 0 ? 0 : -weight));
}
