/** A reading: what one part of the verdicts says at one threshold, ready to be drawn. */

import { DEFAULT_OPTIONS, type RuleOptions } from "./rule_lines";
import { cellsOf, type Outcomes, type Rulings, rulings } from "./rules";
import {
  ANALYSES,
  type Analysis,
  type AnalysisId,
  type Cell,
  HYPOTHESES,
  type HypothesisId,
  type Outcome,
  type Part,
  type State,
} from "./verdicts";

export interface Reading {
  readonly part: Part;
  readonly concept: string;
  readonly alpha: number;
  readonly options: RuleOptions;
  readonly outcomes: Outcomes;
  readonly rulings: Rulings;
  readonly states: Readonly<Record<HypothesisId, State>>;
  readonly cells: readonly (readonly (Cell | null)[])[];
}

/** A threshold at which a hypothesis changes its state, seen from smaller thresholds. */
export interface Flip {
  readonly hypothesis: HypothesisId;
  readonly alpha: number;
  readonly from: State;
  readonly to: State;
}

/** Says on which side a difference lies, or that it does not count at this threshold. */
export function outcomeOf(analysis: Pick<Analysis, "p_adjusted" | "difference">, alpha: number): Outcome {
  if (!(analysis.p_adjusted < alpha) || analysis.difference === 0) return "~";
  return analysis.difference > 0 ? ">" : "<";
}

/** Draws all conclusions from one part at one threshold. */
export function reading(part: Part, concept: string, alpha: number): Reading {
  const options = optionsOf(part);
  const outcomes = outcomesOf(part, alpha);
  const found = rulings(outcomes, options);
  return {
    part,
    concept,
    alpha,
    options,
    outcomes,
    rulings: found,
    states: statesOf(found),
    cells: cellsOf(found, options),
  };
}

/** Finds the twelve states and nothing else, for many groups at once. */
export function statesAt(part: Part, alpha: number): Readonly<Record<HypothesisId, State>> {
  return statesOf(rulings(outcomesOf(part, alpha), optionsOf(part)));
}

/** Writes the six outcomes of a part as signs: what is equal here is equal in everything that follows. */
export function patternOf(part: Part, alpha: number): string {
  return Object.values(outcomesOf(part, alpha)).join("");
}

/** Finds every threshold at which a state changes; outcomes change only at the six chances. */
export function flipsOf(part: Part): Flip[] {
  const flips: Flip[] = [];
  let before = statesAt(part, 0);
  const chances = [...new Set(part.analyses.map((analysis) => analysis.p_adjusted))].sort((a, b) => a - b);
  for (const alpha of chances) {
    const now = statesAt(part, alpha + Number.EPSILON * Math.max(1, alpha));
    for (const hypothesis of HYPOTHESES) {
      if (now[hypothesis] !== before[hypothesis])
        flips.push({ hypothesis, alpha, from: before[hypothesis], to: now[hypothesis] });
    }
    before = now;
  }
  return flips;
}

/** Says what every confirmed hypothesis means, in the order of the picture. */
export function conclusions({ part, states }: Reading): { id: HypothesisId; sentence: string }[] {
  const confirmed = part.hypotheses.filter(({ id }) => states[id] === "confirmed");
  return confirmed.map(({ id, claims }) => ({ id, sentence: claims.confirmed }));
}

/** Returns an analysis by its name. */
export function analysisOf(part: Part, id: AnalysisId): Analysis {
  const found = part.analyses.find((analysis) => analysis.id === id);
  if (found === undefined)
    throw new Error(`The verdicts have no analysis ${id}; they need all of ${ANALYSES.join(", ")}.`);
  return found;
}

function outcomesOf(part: Part, alpha: number): Outcomes {
  return Object.fromEntries(ANALYSES.map((id) => [id, outcomeOf(analysisOf(part, id), alpha)])) as Outcomes;
}

function statesOf(found: Rulings): Readonly<Record<HypothesisId, State>> {
  return Object.fromEntries(HYPOTHESES.map((id) => [id, found[id].state])) as Record<HypothesisId, State>;
}

function optionsOf(part: Part): RuleOptions {
  return { ...DEFAULT_OPTIONS, ...(part.options as Partial<RuleOptions> | undefined) };
}
