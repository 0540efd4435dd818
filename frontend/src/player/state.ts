/** What the server tells the page: where the session stands. */

import type { Json, Trial } from "../schema";

export interface SavedEvent {
  readonly action: string;
  readonly payload: Json;
  readonly at_ms: number;
}

export interface ReferenceState {
  readonly block: string;
  readonly access: "on_demand" | "always";
  readonly title: string;
  readonly trial: Trial | null;
}

export interface StepState {
  readonly number: number;
  readonly trial: Trial;
  readonly feedback: Json;
  readonly references: readonly ReferenceState[];
  readonly purpose: string;
  readonly position: number;
  readonly n_positions: number;
  readonly progress: number;
  readonly try_number: number;
  readonly saved: readonly SavedEvent[];
  readonly shown_seq: boolean;
  /** Whether the participant agreed that the voice is recorded here; absent when not. */
  readonly is_recorded?: true;
}

export interface EndedState {
  readonly outcome: string;
  readonly is_erased: boolean;
  readonly reason: string;
  readonly pay: { readonly currency: string; readonly base: number; readonly bonus: number } | null;
  readonly code: string | null;
  readonly redirect: string | null;
}

export interface State {
  readonly study: { readonly name: string; readonly title: string; readonly language: string; readonly digest: string };
  readonly next_seq: number;
  readonly step: StepState | null;
  readonly preload: readonly string[];
  readonly ended: EndedState | null;
  readonly skin: { readonly is_preview: boolean };
}

export type Started = (State & { readonly token?: string }) | { readonly full: true } | { readonly refused: string };

/** An event as the page numbers it; session and stream are added by the server. */
export interface PageEvent {
  readonly type: "trial_shown" | "response_given" | "interacted";
  readonly seq: number;
  readonly at_ms: number;
  readonly step: number;
  readonly trial_id: string;
  readonly action?: string;
  readonly payload?: Json;
  readonly response?: Json;
  readonly rt_ms?: number;
  readonly active_ms?: number;
}

export type Unnumbered = Omit<PageEvent, "seq">;
