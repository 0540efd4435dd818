/** Walk: the state machine of a session drawn ahead. The place and the events so far decide the next trial, or the end.
 *
 * It follows `conduct/session.py` step by step; when files are collected, that one has the last word.
 */

import type { PageEvent, ReferenceState, SavedEvent, StepState } from "../player/state";
import type { Json, JsonValue } from "../schema";
import { faultOfAnswers } from "./answers";
import type { Leg, Place } from "./place";
import { holds } from "./rules";
import { isRight } from "./seals";
import { type Step, shownResults } from "./tallies";

const N_AHEAD = 12;

export class Walk {
  outcome: string | null = null;
  readonly events: PageEvent[] = [];
  readonly #agenda: Leg[];
  readonly #steps: Step[] = [];
  #nextLeg = 0;
  #leg: Leg | null = null;
  #trialIds: readonly string[] = [];
  #at = 0;
  #startedMs: number | null = null;
  #firstStep = 0;
  #feedback: Json = {};
  #results: Json = {};
  #saved: SavedEvent[] = [];
  #isShown = false;

  constructor(private readonly place: Place) {
    this.#agenda = [...place.visits];
    this.#enterNextLeg();
  }

  /** The number of the next event. */
  get nextSeq(): number {
    return this.events.length + 1;
  }

  /** Says what keeps an event from being taken, or null. */
  faultOf(event: PageEvent): string | null {
    const trial = this.#trial();
    if (!trial) return "The session has ended.";
    if (event.step !== this.#steps.length || event.trial_id !== trial.trial_id)
      return `Step ${event.step} is not the one at hand.`;
    return event.type === "response_given" ? faultOfAnswers(trial.asks ?? [], event.response ?? {}) : null;
  }

  /** Folds one event into the state. */
  async take(event: PageEvent): Promise<void> {
    this.events.push(event);
    if (event.type === "trial_shown") {
      this.#isShown = true;
      this.#startedMs ??= event.at_ms;
    } else if (event.type === "interacted") {
      this.#saved.push({ action: event.action ?? "", payload: event.payload ?? {}, at_ms: event.at_ms });
    } else if (this.#leg && this.outcome === null) {
      this.#saved = [];
      this.#isShown = false;
      await this.#answered(this.#leg, event);
    }
  }

  /** The step at hand as the player wants it; null at the end. */
  step(): StepState | null {
    const trial = this.#trial();
    if (!trial || !this.#leg) return null;
    const nPositions = Math.max(this.#trialIds.length, this.#at + 1);
    const progress = (this.#nextLeg - 1 + this.#at / nPositions) / Math.max(this.#agenda.length, 1);
    return {
      number: this.#steps.length,
      trial,
      feedback: this.#leg.purpose === "feedback" ? { ...this.#feedback, measures: this.#results } : this.#feedback,
      references: this.#references(this.#leg),
      purpose: this.#leg.purpose,
      position: this.#at,
      n_positions: nPositions,
      progress: Math.min(1, Math.max(0, progress)),
      try_number: this.#leg.try_number,
      saved: [...this.#saved],
      shown_seq: this.#isShown,
    };
  }

  /** The files that this trial and the next ones need, and the live models of later parts. */
  preload(): string[] {
    if (!this.#trial()) return [];
    const wanted = this.#trialIds.slice(this.#at, this.#at + 1 + N_AHEAD);
    const later = this.#agenda.slice(this.#nextLeg).flatMap((leg) => leg.trial_ids.slice(0, 1));
    const filesOf = (names: readonly string[]) => names.flatMap((one) => this.place.files[one] ?? []);
    return [...new Set([...filesOf(wanted), ...filesOf(later).filter((one) => one.endsWith(".onnx"))])];
  }

  #trial() {
    return this.outcome === null && this.#leg ? this.place.trials[this.#trialIds[this.#at] ?? ""] : undefined;
  }

  async #answered(leg: Leg, event: PageEvent): Promise<void> {
    const response = event.response ?? {};
    this.#steps.push({ block: leg.block, leg: leg.number, trialId: event.trial_id, response });
    this.#at += 1;
    this.#feedback = leg.feedback === "per_trial" ? await this.#told(event.trial_id, response) : {};
    if (this.#at < this.#trialIds.length && !this.#isOver(leg, event.at_ms)) return;
    await this.#legEnded(leg);
    if (this.#leg?.purpose === "feedback")
      this.#results = await shownResults(this.place, this.#trial()?.params ?? {}, this.#steps);
  }

  async #legEnded(leg: Leg): Promise<void> {
    const stop = leg.stops.find((one) => holds(one.rule, this.#legAnswers()));
    if (stop) return this.#end(stop.outcome);
    if (leg.feedback === "after_stage") this.#feedback = { share_correct: await this.#score(null) };
    if (leg.gate) {
      const score = await this.#score(leg.gate.question);
      const isPassed = score !== null && score >= leg.gate.at_least;
      if (!isPassed && leg.gate.again) this.#agenda.splice(this.#nextLeg, 0, ...leg.gate.again);
      else if (!isPassed && leg.gate.on_fail === "screen_out") return this.#end("screened_out");
    }
    this.#enterNextLeg();
    if (!this.#leg) this.#end("completed");
  }

  #enterNextLeg(): void {
    this.#leg = null;
    while (this.#nextLeg < this.#agenda.length) {
      const leg = this.#agenda[this.#nextLeg] as Leg;
      this.#nextLeg += 1;
      this.#trialIds = this.#idsOf(leg);
      if (this.#trialIds.length === 0) continue;
      this.#leg = leg;
      this.#at = 0;
      this.#startedMs = null;
      this.#firstStep = this.#steps.length;
      return;
    }
  }

  #idsOf(leg: Leg): readonly string[] {
    if (leg.by_count === undefined) return leg.trial_ids;
    return leg.by_count[this.#steps.filter((one) => one.leg === leg.counts_leg).length] ?? [];
  }

  #end(outcome: string): void {
    this.outcome = outcome;
    this.#leg = null;
  }

  #isOver(leg: Leg, at_ms: number): boolean {
    return leg.minutes !== null && this.#startedMs !== null && at_ms - this.#startedMs >= leg.minutes * 60_000;
  }

  async #score(question: string | null): Promise<number | null> {
    const judged = await Promise.all(
      this.#steps.slice(this.#firstStep).map((one) => isRight(this.place, one.trialId, question, one.response)),
    );
    const known = judged.filter((one) => one !== null);
    return known.length > 0 ? known.filter(Boolean).length / known.length : null;
  }

  async #told(trialId: string, response: Json): Promise<Json> {
    const key = this.place.answers?.[trialId];
    return key ? { answers: key, is_correct: await isRight(this.place, trialId, null, response) } : {};
  }

  #legAnswers(): Record<string, JsonValue> {
    const asked = this.#trialIds
      .flatMap((one) => this.place.trials[one]?.asks ?? [])
      .map((one) => [one.question_id, null]);
    return Object.assign(
      Object.fromEntries(asked),
      ...this.#steps.slice(this.#firstStep).map((one) => one.response),
    ) as Json;
  }

  #references(leg: Leg): ReferenceState[] {
    return leg.references.flatMap(({ block, access, unmet }) => {
      const met = [...new Set(this.#steps.filter((one) => one.block === block).map((one) => one.trialId))];
      return (met.length > 0 ? met : unmet).map((one) => ({
        block,
        access,
        title: this.place.titles[one] ?? block,
        trial: this.place.trials[one] ?? null,
      }));
    });
  }
}
