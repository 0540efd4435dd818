/** The frame of a task: a jsPsych plugin made of one `render`, with both ways of simulating it. */

import { type JsPsych, type JsPsychPlugin, ParameterType, type TrialType } from "jspsych";

import type { Explanation, Json, Question } from "../schema";
import { type Hands, handsFrom } from "./hands";
import { plausibleAnswers } from "./questions/plausible";
import { type Texts, textsFor } from "./texts";

export interface Saved {
  readonly action: string;
  readonly payload: Json;
}

/** What a task is given to show. */
export interface Shown {
  readonly params: Json;
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
  readonly feedback: Json;
  readonly saved: readonly Saved[];
  /** True where the page is only looked at again: no questions, no way on. */
  readonly isReference: boolean;
  /** Whose page it is, to keep things apart by; empty where nobody's is. */
  readonly sessionId: string;
  media(address: string): string;
  log(action: string, payload: Json): void;
  /** Keeps the answers as they stand, so that a reload finds them. */
  draft(answers: Json): void;
  /** Sends the answers; returns what is wrong with them, or null. */
  commit(answers: Json): Promise<string | null>;
  /** Tells the clock that the participant is at work though no key moves, as during a film. */
  touch(): void;
  /** How long somebody has been at work on the trial. */
  active_ms(): number;
}

/** What a rendered task lets others do with it. */
export interface Rendered {
  /** Resolves when the screen is drawn, where that takes longer than the call. */
  readonly ready?: Promise<void>;
  /** Enters answers through the controls, as a person would; what the page measures itself is not entered. */
  fill?(answers: Json, hands: Hands): void;
  /** Presses the way on; called again until the task is done. */
  press(): void;
  cleanup?(): void;
}

export type Render = (shown: Shown, element: HTMLElement, context: Context, done: (answers: Json) => void) => Rendered;

const parameters = {
  /** What is shown. */
  params: { type: ParameterType.OBJECT, default: {} },
  /** What is asked. */
  asks: { type: ParameterType.OBJECT, array: true, default: [] },
  /** What a method says about the item. */
  explanation: { type: ParameterType.OBJECT, default: null },
  /** Returns the surroundings; a plain English page without a server when absent. */
  context: { type: ParameterType.FUNCTION, default: null },
} as const;

const data = {
  /** Question id -> answer. */
  answers: { type: ParameterType.OBJECT },
} as const;

interface Info {
  readonly name: string;
  readonly version: string;
  readonly parameters: typeof parameters;
  readonly data: typeof data;
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
    readonly answers?: Json | Promise<Json>;
  };
}

/** Makes the plugin of a task from its one function. */
export function taskPlugin(name: string, version: string, render: Render): TaskPlugin {
  return class Plugin implements JsPsychPlugin<Info> {
    static readonly info: Info = { name, version, parameters, data };
    static readonly render = render;
    #rendered: Rendered | null = null;
    #isDone = false;

    constructor(private readonly jsPsych: JsPsych) {}

    trial(element: HTMLElement, trial: TrialType<Info>): void {
      this.#rendered = render(shownOf(trial), element, contextOf(trial), (answers) => this.#finish(answers));
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

    #finish(answers: Json): void {
      if (this.#isDone) return;
      this.#isDone = true;
      this.#rendered?.cleanup?.();
      this.jsPsych.finishTrial({ answers });
    }
  };
}

function shownOf(trial: TrialType<Info>): Shown {
  return {
    params: trial.params as Json,
    asks: (trial.asks ?? []) as unknown as Question[],
    explanation: (trial.explanation ?? null) as Explanation | null,
  };
}

function contextOf(trial: TrialType<Info>): Context {
  const made = trial.context as unknown as (() => Context) | null;
  return made ? made() : standalone();
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
    feedback: {},
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
