/** What an exported folder holds: one manifest, and one file for each session drawn ahead. */

import type { State } from "../player/state";
import type { Json, Trial } from "../schema";

export type Tree = readonly [string, ...unknown[]];

export interface Manifest {
  readonly format: 1;
  readonly study: State["study"];
  /** Names of the drawn sessions, in the order in which the study's policy dealt them. */
  readonly places: readonly string[];
  /** Whether right answers have to be recognised, which browsers do at secure addresses only. */
  readonly needs_seals: boolean;
  readonly post: string | null;
  /** Where participants go at the end; {outcome} is filled in. */
  readonly redirect: string | null;
}

export interface Leg {
  readonly number: number;
  readonly block: string;
  readonly purpose: string;
  readonly try_number: number;
  readonly trial_ids: readonly string[];
  readonly minutes: number | null;
  readonly feedback: string;
  readonly stops: readonly { readonly rule: Tree; readonly outcome: string }[];
  readonly references: readonly {
    readonly block: string;
    readonly access: "on_demand" | "always";
    readonly unmet: readonly string[];
  }[];
  readonly gate?: Gate;
  /** The trials depend on how many of another leg's were answered. */
  readonly counts_leg?: number;
  readonly by_count?: readonly (readonly string[])[];
}

export interface Gate {
  readonly at_least: number;
  /** The question that counts; null for all that have a right answer. */
  readonly question: string | null;
  readonly on_fail: "screen_out" | "go_on";
  /** What is studied and tried again after a failure; null when there is no further try. */
  readonly again: readonly Leg[] | null;
}

export interface Seal {
  /** What is judged: one question, or with null all that have a right answer. */
  readonly question: string | null;
  readonly questions: readonly string[];
  readonly seal: string;
}

export interface Tally {
  readonly blocks: readonly string[];
  readonly question: string | null;
  readonly summary: string;
}

export interface Place {
  readonly format: 1;
  readonly place: string;
  readonly visits: readonly Leg[];
  readonly trials: Readonly<Record<string, Trial>>;
  readonly files: Readonly<Record<string, readonly string[]>>;
  readonly titles: Readonly<Record<string, string>>;
  readonly salt: string;
  readonly n_rounds: number;
  readonly seals: Readonly<Record<string, readonly Seal[]>>;
  /** Only where the researcher chose to reveal them. */
  readonly answers?: Readonly<Record<string, Json>>;
  readonly tallies?: Readonly<Record<string, Tally>>;
}
