/** Walk: the state machine of a session drawn ahead. The place and the events so far decide the next trial, or the end.
 *
 * It follows `conduct/session.py` step by step; when files are collected, that one has the last word.
 */

import type { EndedState, PageEvent, ReferenceState, SavedEvent, StepState } from "../player/state";
import {
  type Answers,
  type Json,
  type JsonValue,
  NO_FEEDBACK,
  type ResponseGiven,
  type ShownFeedback,
  type ShownTrial,
  type StaticPlace,
  type StaticVisit,
} from "../schema";
import { faultOfAnswers } from "./answers";
import { Pacing, type Planned } from "./pacing";
import { holds } from "./rules";
import { isRight } from "./seals";
import { type Step, shownResults } from "./tallies";

const N_AHEAD = 12;

export class Walk {
  outcome: EndedState["outcome"] | null = null;
  readonly events: PageEvent[] = [];
  readonly #agenda: StaticVisit[];
  readonly #steps: Step[] = [];
  readonly #pacing: Pacing;
  #nextVisit = 0;
  #visit: StaticVisit | null = null;
  #trialIds: readonly string[] = [];
  #at = 0;
  #startedMs: number | null = null;
  #firstStep = 0;
  #feedback: ShownFeedback = NO_FEEDBACK;
  #results: Pick<ShownFeedback, "measures" | "counted"> = { measures: {}, counted: {} };
  #saved: SavedEvent[] = [];
  #isShown = false;

  /** `minutes` is what the study announces; null where it announces nothing. */
  constructor(
    private readonly place: StaticPlace,
    minutes: number | null = null,
  ) {
    this.#pacing = new Pacing(minutes === null ? null : 60 * minutes);
    this.#agenda = [...place.visits];
    this.#enterNextVisit();
    this.#pacing.lookAhead(this.#ahead());
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
    return event.type === "response_given" ? faultOfAnswers(trial.asks, event.response) : null;
  }

  /** Folds one event into the state. */
  async take(event: PageEvent): Promise<void> {
    this.events.push(event);
    if (event.type === "trial_shown") {
      this.#isShown = true;
      this.#startedMs ??= event.at_ms;
    } else if (event.type === "interacted") {
      this.#saved.push({ action: event.action, payload: event.payload, at_ms: event.at_ms });
    } else if (this.#visit && this.outcome === null) {
      this.#saved = [];
      this.#isShown = false;
      await this.#answered(this.#visit, event);
    }
  }

  /** The step at hand as the player wants it; null at the end. */
  step(): StepState | null {
    const trial = this.#trial();
    if (!trial || !this.#visit) return null;
    const nPositions = Math.max(this.#trialIds.length, this.#at + 1);
    return {
      number: this.#steps.length,
      trial,
      feedback: this.#visit.purpose === "feedback" ? { ...this.#feedback, ...this.#results } : this.#feedback,
      references: this.#references(this.#visit),
      purpose: this.#visit.purpose,
      position: this.#at,
      n_positions: nPositions,
      progress: this.#pacing.progress,
      minutes_left: this.#visit.purpose === "consent" ? null : this.#pacing.left_s / 60,
      part: this.#visit.part,
      opening: this.#at === 0 ? this.#opening(this.#visit) : null,
      gate: this.#visit.gate && { tries_left: this.#visit.gate.tries_left, wrong: [] },
      try_number: this.#visit.try_number,
      saved: [...this.#saved],
      shown_seq: this.#isShown,
      is_recorded: false,
    };
  }

  /** The files that this trial and the next ones need, and the live models of later parts. */
  preload(): string[] {
    if (!this.#trial()) return [];
    const wanted = this.#trialIds.slice(this.#at, this.#at + 1 + N_AHEAD);
    const later = this.#agenda.slice(this.#nextVisit).flatMap((visit) => visit.trial_ids.slice(0, 1));
    const filesOf = (names: readonly string[]) => names.flatMap((name) => this.place.files[name] ?? []);
    return [...new Set([...filesOf(wanted), ...filesOf(later).filter((file) => file.endsWith(".onnx"))])];
  }

  #trial() {
    return this.outcome === null && this.#visit ? this.place.trials[this.#trialIds[this.#at] ?? ""] : undefined;
  }

  /** What a visit is expected to take, or `nLeft` pages of it. */
  #planned(visit: StaticVisit, nLeft = visit.n_pages): Planned {
    const task = this.place.trials[visit.trial_ids[0] ?? ""]?.task ?? "";
    return { task, nPages: nLeft, seconds: visit.n_pages > 0 ? (visit.seconds / visit.n_pages) * nLeft : 0 };
  }

  /** What is left, in order; the visit at hand counts with what remains of it. */
  #ahead(): Planned[] {
    const later = this.#agenda.slice(this.#nextVisit).map((visit) => this.#planned(visit));
    return this.#visit ? [this.#planned(this.#visit, this.#trialIds.length - this.#at), ...later] : later;
  }

  /** What is announced before a visit, with its minutes at the pace of the person. */
  #opening({ opening }: StaticVisit): StaticVisit["opening"] {
    if (!opening) return null;
    const later = this.#agenda.slice(this.#nextVisit).findIndex((visit) => visit.opening !== null);
    const ahead = this.#ahead().slice(0, later < 0 ? undefined : later + 1);
    const nPages = ahead.reduce((total, planned) => total + planned.nPages, 0);
    return { ...opening, n_pages: nPages, minutes: this.#pacing.timeFor(ahead) / 60 };
  }

  async #answered(
    visit: StaticVisit,
    event: Pick<ResponseGiven, "trial_id" | "at_ms" | "response" | "rt_ms">,
  ): Promise<void> {
    const { response } = event;
    this.#pacing.answered(this.#planned(visit, 1), event.rt_ms / 1000);
    this.#steps.push({ block: visit.block, visit: visit.number, trialId: event.trial_id, response });
    this.#at += 1;
    this.#feedback = visit.feedback === "per_trial" ? await this.#told(event.trial_id, response) : NO_FEEDBACK;
    const isLast = this.#at >= this.#trialIds.length || this.#isOver(visit, event.at_ms);
    if (isLast) await this.#visitEnded(visit);
    this.#pacing.lookAhead(this.#ahead());
    if (!isLast) return;
    if (this.#visit?.purpose === "feedback")
      this.#results = await shownResults(this.place, this.#trial()?.params ?? {}, this.#steps);
  }

  async #visitEnded(visit: StaticVisit): Promise<void> {
    const stop = visit.stops.find((candidate) => holds(candidate.rule, this.#visitAnswers()));
    if (stop) return this.#end(stop.outcome);
    if (visit.feedback === "after_stage")
      this.#feedback = { ...NO_FEEDBACK, share_correct: await this.#score(null), n_judged: await this.#nJudged() };
    if (visit.gate) {
      const score = await this.#score(visit.gate.question);
      const isPassed = score !== null && score >= visit.gate.at_least;
      if (!isPassed && visit.gate.again) this.#agenda.splice(this.#nextVisit, 0, ...visit.gate.again);
      else if (!isPassed && visit.gate.on_fail === "screen_out") return this.#end("screened_out");
    }
    this.#enterNextVisit();
    if (!this.#visit) this.#end("completed");
  }

  #enterNextVisit(): void {
    this.#visit = null;
    while (this.#nextVisit < this.#agenda.length) {
      const visit = this.#agenda[this.#nextVisit];
      this.#nextVisit += 1;
      if (!visit) continue;
      this.#trialIds = this.#idsOf(visit);
      if (this.#trialIds.length === 0) continue;
      this.#visit = visit;
      this.#at = 0;
      this.#startedMs = null;
      this.#firstStep = this.#steps.length;
      return;
    }
  }

  #idsOf(visit: StaticVisit): readonly string[] {
    if (visit.counts_visit === null) return visit.trial_ids;
    return visit.by_count[this.#steps.filter((step) => step.visit === visit.counts_visit).length] ?? [];
  }

  #end(outcome: EndedState["outcome"]): void {
    this.outcome = outcome;
    this.#visit = null;
  }

  #isOver(visit: StaticVisit, at_ms: number): boolean {
    return visit.minutes !== null && this.#startedMs !== null && at_ms - this.#startedMs >= visit.minutes * 60_000;
  }

  async #nJudged(): Promise<number> {
    return (await this.#verdicts(null)).length;
  }

  async #verdicts(question: string | null): Promise<boolean[]> {
    const judged = await Promise.all(
      this.#steps.slice(this.#firstStep).map((step) => isRight(this.place, step.trialId, question, step.response)),
    );
    return judged.filter((verdict) => verdict !== null);
  }

  async #score(question: string | null): Promise<number | null> {
    const known = await this.#verdicts(question);
    return known.length > 0 ? known.filter(Boolean).length / known.length : null;
  }

  async #told(trialId: string, response: Json): Promise<ShownFeedback> {
    const answers = this.place.answers[trialId];
    if (!answers) return NO_FEEDBACK;
    const is_correct = await isRight(this.place, trialId, null, response);
    return {
      ...NO_FEEDBACK,
      answers: inWords(answers, this.place.trials[trialId]),
      is_correct,
      reason: this.place.reasons?.[trialId] ?? "",
    };
  }

  #visitAnswers(): Record<string, JsonValue> {
    const asked = this.#trialIds
      .flatMap((name) => this.place.trials[name]?.asks ?? [])
      .map((question): [string, JsonValue] => [question.question_id, null]);
    const given = this.#steps.slice(this.#firstStep).flatMap((step) => Object.entries(step.response));
    return Object.fromEntries([...asked, ...given]);
  }

  #references(visit: StaticVisit): ReferenceState[] {
    return visit.references.flatMap(({ block, access, unmet }) => {
      const met = [...new Set(this.#steps.filter((step) => step.block === block).map((step) => step.trialId))];
      return (met.length > 0 ? met : unmet).flatMap((name) => {
        const trial = this.place.trials[name];
        return trial ? [{ block, access, title: this.place.titles[name] ?? block, trial }] : [];
      });
    });
  }
}

/** Answers as the page of a trial calls them: words for points of a scale, names for values. */
function inWords(answers: Answers, trial: ShownTrial | undefined): Answers {
  const names = (trial?.params["value_names"] ?? {}) as Readonly<Record<string, string>>;
  const told = (name: string, answer: Answers[string]) => {
    const question = trial?.asks?.find(({ question_id }) => question_id === name);
    if (question?.kind === "rating" && typeof answer === "number") return question.labels[answer - 1] ?? answer;
    return typeof answer === "string" ? (names[answer] ?? answer) : answer;
  };
  return Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, told(name, answer)])) as Answers;
}
