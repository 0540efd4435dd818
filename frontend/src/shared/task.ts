/** The frame of a task: a jsPsych plugin made of one `render`, with both ways of simulating it. */

import type { JsPsych, JsPsychPlugin, TrialType } from "jspsych";

import {
  type Answers,
  type Explanation,
  type GateState,
  type Json,
  NO_FEEDBACK,
  PARAMS_DEFAULTS,
  type Question,
  type SavedEvent,
  type ShownFeedback,
  type StudyHeading,
  type TaskParams,
} from "../schema";
import { type Hands, handsFrom } from "./hands";
import { FUNCTION, INT, OBJECT, STRING } from "./parameter_types";
import { wholeQuestion } from "./questions/field";
import { plausibleAnswers } from "./questions/plausible";
import type { PayloadOf } from "./saved";
import { type Texts, textsFor } from "./texts";

/** What a task is given to show: what its Python half declares as `Params`. */
export interface Shown<P = Json> {
  readonly params: P;
  readonly asks: readonly Question[];
  readonly explanation: Explanation | null;
}

/** What surrounds a task: where it stands, what was saved, and whom to tell. */
export interface Context {
  readonly texts: Texts;
  readonly language: string;
  readonly title: string;
  readonly purpose: string;
  readonly position: number;
  readonly nPositions: number;
  readonly tryNumber: number;
  readonly feedback: ShownFeedback;
  /** What has to be known about the gate of the page; absent where there is none. */
  readonly gate?: GateState | null;
  /** How long the study takes and what it pays, as announced. */
  readonly announced?: Pick<StudyHeading, "minutes" | "pay">;
  readonly saved: readonly SavedEvent[];
  /** True where the page is only looked at again: no questions, no way on. */
  readonly isReference: boolean;
  /** Whose page it is, to keep things apart by; empty where nobody's is. */
  readonly sessionId: string;
  media(address: string): string;
  log<A extends string>(action: A, payload: PayloadOf<A>): void;
  /** Keeps the answers as they stand, so that a reload finds them. */
  draft(answers: Answers): void;
  /** Sends the answers; returns what is wrong with them, or null. */
  commit(answers: Answers): Promise<string | null>;
  /** Tells the clock that the participant is at work though no key moves, as during a film. */
  touch(): void;
  /** How long somebody has been at work on the trial. */
  active_ms(): number;
  /** Takes note of a screen that is drawn later than the call that draws it; the clock waits for it. */
  drawing?(ready: Promise<void>): void;
}

/** What a rendered task lets others do with it. */
export interface Rendered {
  /** Resolves when the screen is drawn, where that takes longer than the call. */
  readonly ready?: Promise<void>;
  /** Enters answers through the controls, as a person would; what the page measures itself is not entered. */
  fill?(answers: Answers, hands: Hands): void;
  /** Presses the way on; called again until the task is done. */
  press(): void;
  cleanup?(): void;
}

export type Render<P = Json> = (
  shown: Shown<P>,
  element: HTMLElement,
  context: Context,
  done: (answers: Answers) => void,
) => Rendered;

/** What a task with this name is shown; any JSON where its Python half comes from another package. */
type ParamsOf<N extends string> = N extends keyof TaskParams ? TaskParams[N] : Json;

const parameters = {
  /** What is shown. */
  params: { type: OBJECT, default: {} },
  /** What is asked. */
  asks: { type: OBJECT, array: true, default: [] },
  /** What a method says about the item. */
  explanation: { type: OBJECT, default: null },
  /** Returns the surroundings; a page without a server when absent, to which the next two apply. */
  context: { type: FUNCTION, default: null },
  /** The language of the page's own words. */
  language: { type: STRING, default: "en" },
  /** Returns where a file is that `params` or `explanation` name; beside the page when absent. */
  media: { type: FUNCTION, default: null },
} as const;

const data = {
  /** Question id -> answer. */
  answers: { type: OBJECT },
  /** Milliseconds from the first sight to the answer; without a server only. */
  rt: { type: INT },
  /** What else happened, such as each move of a dial, in order; without a server only. */
  events: { type: OBJECT, array: true },
} as const;

interface Info {
  readonly name: string;
  readonly version: string;
  readonly parameters: typeof parameters;
  readonly data: typeof data;
}

/** Something that happened in a trial of somebody's own page. */
export interface Happening {
  readonly action: string;
  readonly payload: Json;
  readonly at_ms: number;
}

export interface TaskPlugin {
  new (jsPsych: JsPsych): JsPsychPlugin<Info>;
  readonly info: Info;
  readonly render: Render;
}

const PRESS_EVERY_MS = 120;

/** What jsPsych hands to `simulate`. */
export interface SimulationOptions {
  readonly data?: {
    /** What is answered, now or later; valid answers by chance when absent. */
    readonly answers?: Answers | Promise<Answers>;
  };
}

/** Makes the plugin of a task from its one function. */
export function taskPlugin<N extends string, P extends ParamsOf<N>>(
  name: N,
  version: string,
  render: Render<P>,
): TaskPlugin {
  return taskPluginFrom(name, version, (shown, ...rest) =>
    render({ ...shown, params: paramsFor<P>(name, shown.params) }, ...rest),
  );
}

/** Makes the plugin of a task that has its Python half elsewhere. */
export function taskPluginFrom(name: string, version: string, drawn: Render): TaskPlugin {
  return class Plugin implements JsPsychPlugin<Info> {
    static readonly info: Info = { name, version, parameters, data };
    static readonly render = drawn;
    #rendered: Rendered | null = null;
    #isDone = false;
    /** What jsPsych keeps where no server does. */
    #kept: { readonly began: number; readonly events: Happening[] } | null = null;

    constructor(private readonly jsPsych: JsPsych) {}

    trial(element: HTMLElement, trial: TrialType<Info>): void {
      const context = this.#contextOf(trial);
      this.#rendered = drawn(shownOf(trial), element, context, (answers) => this.#finish(answers));
      if (this.#rendered.ready) context.drawing?.(this.#rendered.ready);
    }

    simulate(
      trial: TrialType<Info>,
      mode: "data-only" | "visual",
      options: SimulationOptions,
      onLoad: () => void,
    ): void {
      if (mode === "visual") this.trial(this.jsPsych.getDisplayElement(), trial);
      onLoad();
      const given = options.data?.answers ?? plausibleAnswers(shownOf(trial).asks, Math.random);
      void Promise.resolve(given).then((answers) => {
        if (mode === "data-only") return this.#finish(answers);
        this.#rendered?.fill?.(answers, handsFrom(this.jsPsych.pluginAPI));
        this.#pressUntilDone();
      });
    }

    /** Presses again and again: a page may turn, or a film run, before the way on opens. */
    #pressUntilDone(): void {
      if (this.#isDone) return;
      this.#rendered?.press();
      this.jsPsych.pluginAPI.setTimeout(() => this.#pressUntilDone(), PRESS_EVERY_MS);
    }

    #finish(answers: Answers): void {
      if (this.#isDone) return;
      this.#isDone = true;
      this.#rendered?.cleanup?.();
      const kept = this.#kept;
      this.jsPsych.finishTrial(kept ? { answers, rt: sinceMs(kept.began), events: kept.events } : { answers });
    }

    #contextOf(trial: TrialType<Info>): Context {
      const { context, language, media } = partsOf(trial);
      if (context) return context();
      const kept = { began: performance.now(), events: [] as Happening[] };
      this.#kept = kept;
      return {
        ...standalone(language ?? "en"),
        ...(media ? { media } : {}),
        log: (action, payload) => void kept.events.push({ action, payload, at_ms: sinceMs(kept.began) }),
      };
    }
  };
}

/** What a trial says about the task, as the types of the Python half; somebody's own page may leave defaults out. */
function paramsFor<P>(name: string, params: Json): P {
  const defaults: Readonly<Record<string, object>> = PARAMS_DEFAULTS;
  // The server checked what it sent; what a page of somebody's own hands over cannot be known before it runs.
  return { ...defaults[name], ...params } as P;
}

/** jsPsych knows its parameters as objects and functions only, so this is where they get their types. */
function partsOf(trial: TrialType<Info>) {
  return trial as unknown as {
    readonly params: Json;
    readonly asks: readonly Question[] | null;
    readonly explanation: Explanation | null;
    readonly context: (() => Context) | null;
    readonly language: string | null;
    readonly media: Context["media"] | null;
  };
}

function shownOf(trial: TrialType<Info>): Shown {
  const { params, asks, explanation } = partsOf(trial);
  return { params, asks: (asks ?? []).map(wholeQuestion), explanation: explanation ?? null };
}

function sinceMs(began: number): number {
  return Math.round(performance.now() - began);
}

/** The surroundings of a task used in somebody's own jsPsych page. */
export function standalone(language = "en"): Context {
  const began = performance.now();
  return {
    texts: textsFor(language),
    language,
    title: "",
    purpose: "main",
    position: 0,
    nPositions: 0,
    tryNumber: 1,
    feedback: NO_FEEDBACK,
    saved: [],
    isReference: false,
    sessionId: "",
    media: (address) => address,
    log: () => undefined,
    draft: () => undefined,
    commit: () => Promise.resolve(null),
    touch: () => undefined,
    active_ms: () => performance.now() - began,
  };
}
