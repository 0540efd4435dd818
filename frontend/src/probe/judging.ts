/** Judges many patterns of outcomes at once, so that the rules can be held against those of Python. */

import { DEFAULT_OPTIONS, type RuleOptions } from "./rule_lines";
import { cellsOf, type Outcomes, type Ruling, rulings } from "./rules";
import { ANALYSES, type AnalysisId, HYPOTHESES, type Outcome } from "./verdicts";

export interface Asked {
  /** Each pattern is six signs, from A1 to A6. */
  readonly patterns: readonly string[];
  readonly options: readonly Partial<RuleOptions>[];
}

/** One line for each hypothesis (indicator, votes, muted and cautioned analyses), and the cells of the matrix. */
export interface Judged {
  readonly hypotheses: readonly (readonly [number, string, string, string])[];
  readonly cells: readonly string[];
}

/** Judges every pattern under every set of options. */
export function judged({ patterns, options }: Asked): Judged[][] {
  return options.map((some) => patterns.map((pattern) => judgedOne(pattern, { ...DEFAULT_OPTIONS, ...some })));
}

function judgedOne(pattern: string, options: RuleOptions): Judged {
  const outcomes = Object.fromEntries(ANALYSES.map((id, index) => [id, pattern[index] as Outcome])) as Outcomes;
  const found = rulings(outcomes, options);
  const cells = cellsOf(found, options).map((row) => row.map((cell) => cell?.charAt(0) ?? ".").join(""));
  return { hypotheses: HYPOTHESES.map((id) => line(found[id])), cells };
}

function line({ indicator, votes, muted, cautions }: Ruling): [number, string, string, string] {
  const names = (some: readonly { analysis: AnalysisId }[]) => some.map((entry) => entry.analysis).join(" ");
  return [
    indicator,
    votes.map((vote) => `${vote.analysis}${vote.vote > 0 ? "+" : "-"}`).join(" "),
    names(muted),
    names(cautions),
  ];
}
