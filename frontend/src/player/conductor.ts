/** Conductor: shows each step the server names as a jsPsych trial, until there is none. */

import { initJsPsych, type JsPsych } from "jspsych";

import { forgetLabels } from "../dials/labels";
import { type Answers, type Json, NO_FEEDBACK, type OpeningState } from "../schema";
import type { PayloadOf } from "../shared/saved";
import { screenDigest } from "../shared/screen_state";
import type { Context } from "../shared/task";
import type { Texts } from "../shared/texts";
import { announced } from "./announcement";
import { toldAbout } from "./answer_feedback";
import type { Clock } from "./clock";
import type { FirstPage } from "./first_page";
import type { Host } from "./host";
import { loading } from "./loading";
import { ending, message, question } from "./messages";
import type { Outbox } from "./outbox";
import { painted } from "./painting";
import { loader, Preloader } from "./preload";
import { offerReferences } from "./references";
import { keptTimes } from "./resume";
import type { Shell } from "./shell";
import { beginsPart, type StandIn, Told } from "./stand_in";
import type { SavedEvent, State, StepState } from "./state";
import { stepFacts } from "./step_facts";
import { surroundingsOf } from "./surroundings";
import { bringsModules, fetchLater, fetchModules, isHere, taskHere } from "./task_pages";
import type { Voice } from "./voice";

const DRAFT_AFTER_MS = 500;
const FEEDBACK_SEEN: SavedEvent = { action: "feedback_seen", payload: {}, at_ms: 0 };

export interface Parts {
  readonly api: Host;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly shell: Shell;
  readonly texts: Texts;
  /** Where the person came from, such as prolific; null without a known one. */
  readonly recruiter: string | null;
  /** Who answers in a rehearsal; null for people. */
  readonly standIn: StandIn | null;
  /** Records where the participant agreed to it; null where there is nowhere to keep it. */
  readonly voice: Voice | null;
  /** The first page, where it is drawn already; absent where everything is still to be drawn. */
  readonly first?: FirstPage | null;
  /** Leads to the next page of a preview; absent where a preview has one page only. */
  readonly next?: () => void;
}

export class Conductor {
  #state: State;
  #step: StepState | null = null;
  #draft: Answers | null = null;
  #draftTimer: ReturnType<typeof setTimeout> | undefined;
  /** Nothing about a step may follow its answer. */
  #isAnswered = true;
  #jsPsych: JsPsych | null = null;
  #isOver = false;
  /** Resolves when the screen at hand is drawn, or cannot be. */
  #drawing: Promise<void> = Promise.resolve();
  /** What happens while a trial is drawn; it is told after the trial was shown. Null once it is. */
  #held: { readonly action: string; readonly payload: Json }[] | null = null;
  /** Whether people can see and use the trial at hand, a frame or two before it is told. */
  #isRevealed = false;
  /** Resolves when the trial at hand has been painted and its clock runs. */
  #begun: Promise<void> = Promise.resolve();
  /** Whether the verdict on the answer before was seen on its own page. */
  #isFeedbackSeen = false;
  #hasToldSurroundings = false;
  readonly #timeline: object[] = [];
  readonly #preloader: Preloader;

  constructor(
    private readonly parts: Parts,
    state: State,
  ) {
    this.#state = state;
    this.#preloader = new Preloader(loader((address) => parts.api.media(state.study.digest, address)));
  }

  /** Runs to the end of the session. */
  async run(): Promise<void> {
    this.parts.shell.follow(this.#state);
    const isFirstTaken = await this.#conductFirst();
    // Somebody who comes back in another browser saw the first page until the server said where they are.
    if (!isFirstTaken) this.parts.shell.between(message({ heading: this.parts.texts.loading, tone: "loading" }));
    const next = this.#isOver ? null : this.#state.step;
    if (next && !((await this.#loadModules()) && (await this.#prepare(next)))) return;
    if (next) {
      this.#jsPsych = initJsPsych({ display_element: this.parts.shell.stage, use_webaudio: false });
      this.parts.shell.stage.replaceChildren();
      const timeline = this.#timeline as Parameters<JsPsych["simulate"]>[0];
      await (this.parts.standIn ? this.#jsPsych.simulate(timeline, "visual") : this.#jsPsych.run(timeline));
    }
    if (!this.#isOver) this.end(this.#state);
  }

  /** Takes over the page that people read already, as they left it; false where there is none, or it is not theirs. */
  async #conductFirst(): Promise<boolean> {
    const { first } = this.parts;
    const { step } = this.#state;
    if (!first || !step) return false;
    const answered = first.conduct(this.#open(step));
    this.#drawn(step);
    this.#begun = this.#begin(step);
    // While people read: what the pages after this one need.
    void this.#preloader.fetchAll(this.#state.preload);
    await answered;
    // As jsPsych empties its place after a trial.
    this.parts.shell.stage.replaceChildren();
    return true;
  }

  /** Shows the last screen, from wherever the session stands. */
  end(state: State): void {
    this.#isOver = true;
    forgetLabels();
    this.#isAnswered = true;
    if (state.ended) this.parts.outbox.forget();
    else this.parts.outbox.close();
    this.parts.voice?.end();
    this.#jsPsych?.abortExperiment();
    const { api, shell, texts, recruiter } = this.parts;
    // jsPsych empties its place when a trial is aborted; the ending follows on the next turn of the loop.
    setTimeout(() => {
      shell.follow({ ...state, step: null });
      if (state.ended)
        shell.show(
          ending(state.ended, texts, state.study.language, {
            farewell: api.farewell(state, texts),
            recruiter,
            isPaid: state.study.pay !== null,
            copy: api.isGuest ? undefined : api.copy?.bind(api),
          }),
        );
      else shell.show(message({ heading: texts.ends.error, text: texts.ends.errorText, tone: "warn" }));
    });
  }

  /** Logs something that happened in the trial at hand. */
  log<A extends string>(action: A, payload: PayloadOf<A>): void {
    const step = this.#step;
    if (!step || this.#isAnswered || this.#state.skin.is_preview) return;
    if (this.#held) {
      this.#held.push({ action, payload });
      return;
    }
    const { clock, outbox } = this.parts;
    outbox.add({
      type: "interacted",
      step: step.number,
      trial_id: step.trial.trial_id,
      at_ms: clock.at_ms(),
      action,
      payload,
    });
  }

  /** Keeps what was done so far, before the page goes away: people may have used it before it was told. */
  leave(): void {
    if (this.#step && this.#isRevealed && !document.hidden) this.#tellShown(this.#step);
    this.#saveDraft();
  }

  #saveDraft(): void {
    clearTimeout(this.#draftTimer);
    if (this.#draft === null) return;
    const { rt_ms, active_ms } = this.parts.clock.times();
    this.log("draft", { answers: this.#draft, rt_ms: Math.round(rt_ms), active_ms: Math.round(active_ms) });
    this.#draft = null;
  }

  /** Loads what draws the tasks and explanations of other packages, before anything is shown that might need it. */
  async #loadModules(): Promise<boolean> {
    const { api, shell, texts } = this.parts;
    const { digest, modules } = this.#state.study;
    if (!bringsModules(modules)) return true;
    await loading(shell, texts, this.#preloader, [...Object.values(modules.tasks), ...Object.values(modules.kinds)]);
    try {
      await fetchModules(modules, (address) => api.media(digest, address));
      return true;
    } catch (error) {
      const text = `${texts.ends.unknownTask} (${error instanceof Error ? error.message : String(error)})`;
      shell.show(question(texts.ends.error, text, texts.retry, () => location.reload()));
      this.#isOver = true;
      return false;
    }
  }

  async #prepare(step: StepState): Promise<boolean> {
    const { shell, texts } = this.parts;
    const isThere = await this.#fetchTasksOf(step);
    const plugin = taskHere(step.trial.task);
    if (!isThere || !plugin) {
      const text = isThere ? `${texts.ends.unknownTask} (${step.trial.task})` : texts.ends.errorText;
      shell.show(question(texts.ends.error, text, texts.retry, () => location.reload()));
      this.#isOver = true;
      return false;
    }
    const own = filesOf(step, new Set(this.#state.preload));
    if (this.#preloader.missing(own).length > 0) await loading(shell, texts, this.#preloader, own);
    void this.#preloader.fetchAll(this.#state.preload);
    if (step.opening && !step.shown_seq) await this.#announce(step, step.opening);
    if (this.#isOver) return false;
    const told = this.parts.standIn && new Told(this.parts.standIn, step);
    this.#timeline.push({
      type: plugin,
      params: step.trial.params,
      asks: step.trial.asks ?? [],
      explanation: step.trial.explanation ?? null,
      context: () => this.#open(step),
      on_load: () => {
        this.#drawn(step);
        this.parts.shell.focusHeading();
        this.#begun = this.#begin(step).then(() => told?.shown());
      },
      ...(told ? { simulation_options: { data: { answers: () => told.answers() } } } : {}),
      on_finish: () => this.#goOn(),
    });
    return true;
  }

  /** Fetches what draws a step and the material within its reach; false where the network would not give it. */
  async #fetchTasksOf({ trial, references }: StepState): Promise<boolean> {
    const names = [trial.task, ...references.flatMap((reference) => reference.trial?.task ?? [])];
    if (names.every(isHere)) return true;
    return fetchLater().then(
      () => true,
      () => false,
    );
  }

  /** Says that another part begins. */
  async #announce(step: StepState, opening: OpeningState): Promise<void> {
    const { clock, outbox, shell, standIn, texts, voice } = this.parts;
    shell.follow({ ...this.#state, step });
    // Nobody is recorded on a break.
    voice?.follow(null);
    const begun = announced(step, opening, {
      shell,
      texts,
      kept_min: this.#state.study.kept_min,
      rested: (action) => {
        if (this.#state.skin.is_preview) return;
        const { number, trial } = step;
        outbox.add({
          type: "interacted",
          step: number,
          trial_id: trial.trial_id,
          at_ms: clock.at_ms(),
          action,
          payload: {},
        });
      },
    });
    if (standIn) await beginsPart(window, step.number, shell.stage);
    await begun;
  }

  async #goOn(): Promise<void> {
    if (this.#isOver || !this.#state.step) return;
    await this.#prepare(this.#state.step);
  }

  #open(step: StepState): Context {
    const { api, clock, texts } = this.parts;
    this.#step = step;
    this.#isAnswered = false;
    this.#held = [];
    this.#isRevealed = false;
    this.#drawing = Promise.resolve();
    clock.begin(keptTimes(step));
    const { study } = this.#state;
    return {
      texts,
      language: study.language,
      title: study.title,
      ...stepFacts(step),
      announced: study,
      saved: this.#isFeedbackSeen ? [...step.saved, FEEDBACK_SEEN] : step.saved,
      isReference: false,
      sessionId: api.sessionId,
      media: (address) => api.media(study.digest, address),
      log: (action, payload) => this.log(action, payload),
      draft: (answers) => this.#keepDraft(answers),
      commit: (answers) => this.#commit(step, answers),
      touch: () => clock.touch(),
      active_ms: () => clock.times().active_ms,
      drawing: (ready) => {
        this.#drawing = ready;
      },
    };
  }

  /** Starts the clock once everything in the trial has been painted, and tells so. */
  async #begin(step: StepState): Promise<void> {
    const { shell, standIn, texts, voice } = this.parts;
    // A live model draws its first picture a moment after its page.
    await this.#drawing;
    const painting = {
      parts: [shell.stage, shell.aside],
      late: () => message({ heading: texts.preload.heading, text: texts.preload.text, tone: "loading" }),
      // Nobody looks at the pages of simulated people, and none of them may wait for that.
      isSeen: () => standIn !== null || !document.hidden,
    };
    await painted(painting, () => (this.#isRevealed = this.#step === step));
    if (this.#isOver || this.#step !== step) return;
    // What is hidden cannot keep the focus; somebody who is at work already is left there.
    if (document.activeElement === document.body && scrollY === 0) shell.focusHeading();
    this.#tellShown(step);
    voice?.follow(step);
    // Now that the first page can be used, what the next ones need; a failure shows when it is needed.
    void fetchLater().catch(() => undefined);
  }

  /** Starts the clock and tells that a trial is shown, with what happened while it was drawn; once. */
  #tellShown(step: StepState): void {
    const { clock, outbox } = this.parts;
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    clock.begin(keptTimes(step));
    if (this.#isFeedbackSeen && !step.shown_seq) held.unshift({ action: FEEDBACK_SEEN.action, payload: {} });
    this.#isFeedbackSeen = false;
    if (!step.shown_seq && !this.#state.skin.is_preview) {
      outbox.add({ type: "trial_shown", step: step.number, trial_id: step.trial.trial_id, at_ms: clock.at_ms() });
    } else this.log("resumed", {});
    this.#tellSurroundings(step);
    for (const { action, payload } of held) this.log(action, payload);
  }

  /** Tells once what kind of device this is, and only after people have agreed to take part. */
  #tellSurroundings(step: StepState): void {
    if (this.#hasToldSurroundings || step.purpose === "consent" || step.shown_seq) return;
    this.#hasToldSurroundings = true;
    this.log("surroundings", surroundingsOf(window));
  }

  #drawn(step: StepState): void {
    const { shell, api, texts } = this.parts;
    const { study } = this.#state;
    shell.follow({ ...this.#state, step });
    shell.stage.tabIndex = -1;
    shell.stage.dataset["task"] = step.trial.task;
    const context = { texts, language: study.language, title: study.title } as Context;
    offerReferences(shell, step.references, {
      ...context,
      saved: [],
      feedback: NO_FEEDBACK,
      media: (address) => api.media(study.digest, address),
      log: (action, payload) => this.log(action, payload),
    });
  }

  #keepDraft(answers: Answers): void {
    this.#draft = answers;
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => this.#saveDraft(), DRAFT_AFTER_MS);
  }

  async #commit(step: StepState, answers: Answers): Promise<string | null> {
    const { clock, outbox, shell, standIn, texts, next } = this.parts;
    if (this.#state.skin.is_preview) {
      if (!next) return texts.previewEnds;
      next();
      // The page is about to be left: nothing may follow this one.
      return new Promise(() => undefined);
    }
    // Keys can be quicker than the screen: what was answered before the clock ran took no time.
    await this.#begun;
    clearTimeout(this.#draftTimer);
    this.#draft = null;
    const times = clock.times();
    // The replay draws this screen again and compares.
    this.log("screen_state", { sha256: screenDigest(shell.stage, shell.aside) });
    this.#isAnswered = true;
    const delivery = await outbox.deliver({
      type: "response_given",
      step: step.number,
      trial_id: step.trial.trial_id,
      at_ms: clock.at_ms(),
      response: answers,
      ...times,
    });
    if ("refusal" in delivery) {
      this.#isAnswered = false;
      return texts.refused;
    }
    this.#state = delivery.state;
    if (!standIn) await toldAbout(shell.stage, delivery.state.step, texts);
    this.#isFeedbackSeen = !standIn && delivery.state.step?.feedback.is_correct != null;
    return null;
  }
}

/** The files that have to be there before a trial is drawn: its own, and those of what is always shown beside it. */
function filesOf({ trial, references }: StepState, known: ReadonlySet<string>): string[] {
  const shown = references.filter(({ access }) => access === "always").map((reference) => reference.trial);
  return [trial, ...shown].flatMap((part) => (part ? filesIn([part.params, part.explanation], known) : []));
}

function filesIn(value: unknown, known: ReadonlySet<string>): string[] {
  if (typeof value === "string") return known.has(value) ? [value] : [];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap((part) => filesIn(part, known));
}
