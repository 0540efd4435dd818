/** Verdicts as they come from Python: the one JSON document that the picture reads. */

export const HYPOTHESES = ["H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8", "H9", "H10", "H11", "H12"] as const;
export const ANALYSES = ["A1", "A2", "A3", "A4", "A5", "A6"] as const;
export const RESULTS = ["PP", "PD", "MP", "MD"] as const;
export type HypothesisId = (typeof HYPOTHESES)[number];
export type AnalysisId = (typeof ANALYSES)[number];
export type ResultId = (typeof RESULTS)[number];
export type Outcome = ">" | "<" | "~";
export type State = "confirmed" | "unproven" | "rejected";
export type Cell = "supports" | "rejects" | "unproven" | "conditional";

export interface Result {
  readonly id: ResultId;
  readonly model: "M+" | "M";
  readonly data: "D+" | "D";
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

export interface Analysis {
  readonly id: AnalysisId;
  readonly left: ResultId;
  readonly right: ResultId;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  readonly p: number;
  readonly p_adjusted: number;
  readonly effect: number | null;
  readonly outcome: Outcome;
}

export interface Hypothesis {
  readonly id: HypothesisId;
  readonly statement: string;
  readonly state: State;
  /** What each state says in plain language. */
  readonly claims: Readonly<Record<State, string>>;
}

/** What a group has, and the whole has too. */
export interface Part {
  readonly alpha: number;
  readonly correction: "none" | "holm";
  readonly test: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly n_objects: number;
  readonly n_dropped: Readonly<Record<string, number>>;
  readonly notes?: readonly string[];
  readonly results: readonly Result[];
  readonly analyses: readonly Analysis[];
  readonly hypotheses: readonly Hypothesis[];
}

export interface Group {
  readonly name: string;
  readonly n: number;
  readonly verdicts: Part;
}

export interface Repeats {
  readonly n: number;
  /** The share of training runs that confirm each hypothesis. */
  readonly shares: Readonly<Partial<Record<HypothesisId, number>>>;
}

export interface Verdicts extends Part {
  readonly concept: string;
  readonly group_by?: string | null;
  readonly groups?: readonly Group[];
  readonly repeats?: Repeats | null;
}

/** Returns the part of a group by its name, or the whole. */
export function partOf(verdicts: Verdicts, group: string | null): Part {
  return verdicts.groups?.find((candidate) => candidate.name === group)?.verdicts ?? verdicts;
}
