/** Rules: from six outcomes to the state of twelve hypotheses, with what was said for, against and not at all. */

import { DEFAULT_OPTIONS, type Line, linesOf, type RuleOptions, touches } from "./rule_lines";
import {
  ANALYSES,
  type AnalysisId,
  type Cell,
  HYPOTHESES,
  type HypothesisId,
  type Outcome,
  type State,
} from "./verdicts";

export type Outcomes = Readonly<Record<AnalysisId, Outcome>>;

export interface Vote {
  readonly analysis: AnalysisId;
  readonly vote: 1 | -1;
}

/** An analysis that differs but does not count here, because of the state of another hypothesis. */
export interface Muted {
  readonly analysis: AnalysisId;
  readonly because: HypothesisId;
  readonly state: State;
}

/** A line of the rules that asks for care: the analysis may be explained by a hypothesis that it depends on. */
export interface Caution {
  readonly analysis: AnalysisId;
  readonly because: HypothesisId;
  readonly state: State;
}

export interface Ruling {
  readonly state: State;
  readonly indicator: number;
  readonly votes: readonly Vote[];
  readonly muted: readonly Muted[];
  readonly cautions: readonly Caution[];
}
export type Rulings = Readonly<Record<HypothesisId, Ruling>>;

interface Tally {
  indicator: number;
  votes: Vote[];
  muted: Muted[];
  cautions: Caution[];
}

/** Applies the rules step by step; a condition is read from what the earlier steps have added up. */
export function rulings(outcomes: Outcomes, options: RuleOptions = DEFAULT_OPTIONS): Rulings {
  const tallies = Object.fromEntries(HYPOTHESES.map((id) => [id, emptyTally()])) as Record<HypothesisId, Tally>;
  const lines = linesOf(options);
  for (const step of [2, 3, 4] as const) {
    const before = Object.fromEntries(HYPOTHESES.map((id) => [id, stateOf(tallies[id].indicator)])) as Record<
      HypothesisId,
      State
    >;
    for (const line of lines) {
      if (line.step === step && outcomes[line.analysis] === line.outcome) apply(line, lines, before, tallies);
    }
  }
  return Object.fromEntries(HYPOTHESES.map((id) => [id, ruling(tallies[id])])) as Rulings;
}

/** Says which state an indicator stands for. */
export function stateOf(indicator: number): State {
  return indicator > 0 ? "confirmed" : indicator < 0 ? "rejected" : "unproven";
}

/** Says which hypotheses an analysis can speak about. */
export function bearsOn(
  analysis: AnalysisId,
  hypothesis: HypothesisId,
  options: RuleOptions = DEFAULT_OPTIONS,
): boolean {
  return linesOf(options).some((line) => line.analysis === analysis && touches(line, hypothesis));
}

/** Says which hypotheses an analysis asks before it speaks. */
export function dependsOn(analysis: AnalysisId, hypothesis: HypothesisId): boolean {
  return linesOf(DEFAULT_OPTIONS).some((line) => line.analysis === analysis && line.asks === hypothesis);
}

/** Fills the matrix; null where an analysis has nothing to do with a hypothesis. */
export function cellsOf(found: Rulings, options: RuleOptions = DEFAULT_OPTIONS): (Cell | null)[][] {
  return HYPOTHESES.map((hypothesis) =>
    ANALYSES.map((analysis) => cellOf(found[hypothesis], hypothesis, analysis, options)),
  );
}

function cellOf(found: Ruling, hypothesis: HypothesisId, analysis: AnalysisId, options: RuleOptions): Cell | null {
  if (dependsOn(analysis, hypothesis)) return "conditional";
  if (!bearsOn(analysis, hypothesis, options)) return null;
  const vote = found.votes.find((candidate) => candidate.analysis === analysis);
  return vote === undefined ? "unproven" : vote.vote > 0 ? "supports" : "rejects";
}

type States = Readonly<Record<HypothesisId, State>>;

function apply(line: Line, lines: readonly Line[], before: States, tallies: Record<HypothesisId, Tally>): void {
  const { analysis, asks } = line;
  if (asks !== undefined && !line.states?.includes(before[asks])) return;
  const isHeard = line.caution !== "flag";
  for (const id of isHeard ? line.confirms : []) count(tallies[id], { analysis, vote: 1 });
  for (const id of isHeard ? line.rejects : []) count(tallies[id], { analysis, vote: -1 });
  if (asks === undefined) return;
  const because = { analysis, because: asks, state: before[asks] };
  const kin = lines.filter((other) => other.analysis === analysis && other.outcome === line.outcome);
  for (const id of HYPOTHESES) {
    const isTouched = touches(line, id);
    if (!(isHeard && isTouched) && kin.some((sibling) => sibling.caution !== "flag" && touches(sibling, id)))
      tallies[id].muted.push(because);
    if (line.caution && isTouched) tallies[id].cautions.push(because);
  }
}

function emptyTally(): Tally {
  return { indicator: 0, votes: [], muted: [], cautions: [] };
}

function count(tally: Tally, vote: Vote): void {
  tally.indicator += vote.vote;
  tally.votes.push(vote);
}

function ruling(tally: Tally): Ruling {
  return { state: stateOf(tally.indicator), ...tally };
}
