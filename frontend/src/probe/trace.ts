/** A trace: the way from a hypothesis to its data, as marks to light up and as words. */

import { alphaText, chanceText } from "./chances";
import { analysisOf, type Reading } from "./reading";
import { bearsOn, dependsOn } from "./rules";
import { ANALYSES, type AnalysisId, HYPOTHESES, type HypothesisId, type ResultId } from "./verdicts";
import { RESULT_WORDS } from "./words";

export type Highlight =
  | { readonly kind: "hypothesis"; readonly id: HypothesisId }
  | { readonly kind: "analysis"; readonly id: AnalysisId }
  | { readonly kind: "result"; readonly id: ResultId };

export interface Chain {
  readonly hypotheses: ReadonlySet<HypothesisId>;
  readonly analyses: ReadonlySet<AnalysisId>;
  readonly results: ReadonlySet<ResultId>;
}

export interface TraceLine {
  readonly kind: "for" | "against" | "muted" | "caution" | "silent";
  readonly text: string;
}

/** Finds everything that hangs together with what is highlighted. */
export function chainOf(reading: Reading, highlight: Highlight | null): Chain | null {
  if (highlight === null) return null;
  const analyses = new Set(ANALYSES.filter((id) => isInChain(reading, id, highlight)));
  const ends = (id: AnalysisId): ResultId[] => [analysisOf(reading.part, id).left, analysisOf(reading.part, id).right];
  const results = new Set(highlight.kind === "result" ? [highlight.id] : [...analyses].flatMap(ends));
  const hypotheses = new Set(HYPOTHESES.filter((id) => isHypothesisInChain(reading, id, highlight)));
  return { hypotheses, analyses, results };
}

/** Tells a verdict in words: who spoke for it, who against it, who was not heard and why, and where to be careful. */
export function traceOf(reading: Reading, id: HypothesisId): TraceLine[] {
  const found = reading.rulings[id];
  const lines: TraceLine[] = found.votes.map(({ analysis, vote }) => ({
    kind: vote > 0 ? "for" : "against",
    text: `${analysis} speaks ${vote > 0 ? "for" : "against"} it: ${comparisonOf(reading, analysis)}.`,
  }));
  for (const { analysis, because, state } of found.muted) {
    lines.push({
      kind: "muted",
      text: `${analysis} is not counted, although ${comparisonOf(reading, analysis)}: ${because} is ${state}.`,
    });
  }
  for (const { analysis, because, state } of found.cautions) {
    const explains = state === "confirmed" ? "may be the explanation" : "speaks the other way";
    lines.push({ kind: "caution", text: `Read ${analysis} with care: ${because} is ${state} and ${explains}.` });
  }
  const silent = ANALYSES.filter(
    (analysis) => bearsOn(analysis, id, reading.options) && reading.outcomes[analysis] === "~",
  );
  for (const analysis of silent)
    lines.push({ kind: "silent", text: `${analysis} says nothing: ${comparisonOf(reading, analysis)}.` });
  return lines;
}

/** Says how two result sets compare, with the difference and its chance. */
export function comparisonOf(reading: Reading, id: AnalysisId): string {
  const analysis = analysisOf(reading.part, id);
  const [left, right] = [RESULT_WORDS[analysis.left].long, RESULT_WORDS[analysis.right].long];
  const outcome = reading.outcomes[id];
  const p = chanceText(analysis.p_adjusted);
  const chance = `p ${p.startsWith("<") ? p : `= ${p}`}`;
  if (outcome === "~") return `${left} and ${right} do not differ at ${alphaText(reading.alpha)} (${chance})`;
  const by = Math.abs(analysis.difference).toPrecision(2);
  return `${left} is ${outcome === ">" ? "higher" : "lower"} than ${right} by ${Number(by)} (${chance})`;
}

/** Adds the votes up, with a sign. */
export function indicatorText(indicator: number): string {
  return indicator > 0 ? `+${indicator}` : indicator < 0 ? `−${-indicator}` : "0";
}

function isInChain(reading: Reading, id: AnalysisId, highlight: Highlight): boolean {
  if (highlight.kind === "analysis") return id === highlight.id;
  if (highlight.kind === "result") {
    const { left, right } = analysisOf(reading.part, id);
    return left === highlight.id || right === highlight.id;
  }
  return bearsOn(id, highlight.id, reading.options);
}

function isHypothesisInChain(reading: Reading, id: HypothesisId, highlight: Highlight): boolean {
  if (highlight.kind === "hypothesis") return id === highlight.id || conditions(reading, highlight.id).has(id);
  if (highlight.kind === "result") return false;
  return reading.rulings[id].votes.some((vote) => vote.analysis === highlight.id) || dependsOn(highlight.id, id);
}

function conditions(reading: Reading, id: HypothesisId): Set<HypothesisId> {
  return new Set([...reading.rulings[id].muted, ...reading.rulings[id].cautions].map((each) => each.because));
}
