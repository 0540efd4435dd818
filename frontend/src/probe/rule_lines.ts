/** The lines of the rules as they are printed, and as the options change them. */

import type { AnalysisId, HypothesisId, Outcome, State } from "./verdicts";

/** Where the source can be read in more than one way; the names are those of Python. */
export interface RuleOptions {
  readonly a1_less_votes_h7_h8: boolean;
  readonly a2_less_votes_h7_h8: boolean;
  readonly less_confirms_h4: boolean;
  /** What a caution does: as printed A3 votes and A2, A5 only flag; or all only flag; or all vote. */
  readonly caution: "as_printed" | "flag" | "vote";
}
export const DEFAULT_OPTIONS: RuleOptions = {
  a1_less_votes_h7_h8: false,
  a2_less_votes_h7_h8: true,
  less_confirms_h4: true,
  caution: "as_printed",
};

/** What one outcome of one analysis says; where a hypothesis is asked, only if that is in one of the states. */
export interface Line {
  readonly step: 2 | 3 | 4;
  readonly analysis: AnalysisId;
  readonly outcome: Outcome;
  readonly asks?: HypothesisId;
  readonly states?: readonly State[];
  readonly confirms: readonly HypothesisId[];
  readonly rejects: readonly HypothesisId[];
  /** What a line that asks for care does: it only flags, or it votes as well. */
  readonly caution?: "flag" | "vote";
}

const NOT_CONFIRMED: readonly State[] = ["rejected", "unproven"];
const CONFIRMED: readonly State[] = ["confirmed"];
const INFORMED: Pick<Line, "confirms" | "rejects"> = { confirms: ["H1", "H4", "H7"], rejects: ["H2", "H3", "H8"] };
const LINES: readonly Line[] = [
  { step: 2, analysis: "A1", outcome: ">", ...INFORMED },
  { step: 2, analysis: "A1", outcome: "<", confirms: ["H2", "H4"], rejects: ["H1", "H3"] },
  { step: 2, analysis: "A4", outcome: ">", confirms: ["H11"], rejects: ["H12"] },
  { step: 2, analysis: "A4", outcome: "<", confirms: ["H12"], rejects: ["H11"] },
  { step: 2, analysis: "A6", outcome: ">", confirms: ["H5"], rejects: ["H6"] },
  { step: 2, analysis: "A6", outcome: "<", confirms: ["H6"], rejects: ["H5"] },
  ...inThirdStep("A2", ">", "H6", INFORMED),
  ...inThirdStep("A2", "<", "H5", { confirms: ["H2", "H4", "H8"], rejects: ["H1", "H3", "H7"] }),
  ...inThirdStep("A5", ">", "H6", { confirms: ["H11"], rejects: ["H12"] }),
  ...inThirdStep("A5", "<", "H5", { confirms: ["H12"], rejects: ["H11"] }),
  ...inFourthStep(">", "H1", [
    { states: CONFIRMED, confirms: ["H7", "H9"], rejects: ["H8", "H10"] },
    { states: ["unproven"], confirms: ["H9"], rejects: ["H10"] },
    { states: ["rejected"], confirms: ["H12"], rejects: ["H11"] },
  ]),
  ...inFourthStep("<", "H2", [
    { states: CONFIRMED, confirms: ["H8", "H10"], rejects: ["H7", "H9"] },
    { states: ["unproven"], confirms: ["H10"], rejects: ["H9"] },
    { states: ["rejected"], confirms: ["H10"], rejects: ["H9"], caution: "vote" },
  ]),
];

/** Lines of the third step: the asked hypothesis changes no vote, but where it is confirmed, they ask for care. */
function inThirdStep(
  analysis: AnalysisId,
  outcome: Outcome,
  asks: HypothesisId,
  votes: Pick<Line, "confirms" | "rejects">,
): Line[] {
  const line: Line = { step: 3, analysis, outcome, asks, ...votes };
  return [
    { ...line, states: NOT_CONFIRMED },
    { ...line, states: CONFIRMED, caution: "flag" },
  ];
}

/** Lines of the fourth step, which depend on the state of the asked hypothesis. */
function inFourthStep(
  outcome: Outcome,
  asks: HypothesisId,
  votes: readonly Omit<Line, "step" | "analysis" | "outcome" | "asks">[],
): Line[] {
  return votes.map((vote) => ({ step: 4, analysis: "A3", outcome, asks, ...vote }));
}

/** Lines are asked for in every frame of a drag, and options never change meanwhile. */
const LINES_BY_OPTIONS = new Map<string, readonly Line[]>();

/** Returns the lines under some options. */
export function linesOf(options: RuleOptions): readonly Line[] {
  const known = LINES_BY_OPTIONS.get(keyOf(options));
  if (known !== undefined) return known;
  const lines = LINES.map((line) => withOptions(line, options));
  LINES_BY_OPTIONS.set(keyOf(options), lines);
  return lines;
}

function keyOf({ a1_less_votes_h7_h8, a2_less_votes_h7_h8, less_confirms_h4, caution }: RuleOptions): string {
  return `${a1_less_votes_h7_h8} ${a2_less_votes_h7_h8} ${less_confirms_h4} ${caution}`;
}

function withOptions(printed: Line, options: RuleOptions): Line {
  const line = printed.caution && options.caution !== "as_printed" ? { ...printed, caution: options.caution } : printed;
  if (line.outcome !== "<" || !(line.analysis === "A1" || line.analysis === "A2")) return line;
  const votes = line.analysis === "A1" ? options.a1_less_votes_h7_h8 : options.a2_less_votes_h7_h8;
  const confirms = line.confirms.filter((id) => id !== "H8" && (id !== "H4" || options.less_confirms_h4));
  const rejects = line.rejects.filter((id) => id !== "H7");
  return votes
    ? { ...line, confirms: [...confirms, "H8"], rejects: [...rejects, "H7"] }
    : { ...line, confirms, rejects };
}

/** Says whether a line leans for or against a hypothesis. */
export function touches(line: Line, hypothesis: HypothesisId): boolean {
  return line.confirms.includes(hypothesis) || line.rejects.includes(hypothesis);
}
