/** What every kind of question gives the form, and the frame they all stand in. */

import { type Answer, QUESTION_DEFAULTS, type Question } from "../../schema";
import { type Child, freshId, h } from "../dom";
import type { Hands } from "../hands";
import type { Texts } from "../texts";

export interface Field {
  readonly element: HTMLElement;
  /** The answer, or null while there is none. */
  value(): Answer;
  /** What has been entered so far, where that may be less than an answer; the answer itself when absent. */
  draft?(): Answer;
  /** What is wrong with the answer as it stands, or null. */
  fault(): string | null;
  /** Gives back what was entered before. */
  put(value: Answer): void;
  /** Enters an answer through the controls, as a person would. */
  enter(value: Answer, hands: Hands): void;
  /** Says the fault beside the question, or takes it away. */
  tell(fault: string | null): void;
  focus(): void;
}

export interface FieldContext {
  readonly texts: Texts;
  readonly language: string;
  /** Option -> what is read in its place; the option itself when absent. */
  readonly names?: Readonly<Record<string, string>>;
  /** Where sliders start, visibly but not yet as an answer; others start nowhere. */
  readonly starts?: Readonly<Record<string, number>>;
  /** Adds the unit to the number of a slider; without it, the number is all there is. */
  withUnit?(value: string): string;
  changed(): void;
  /** Returns the options in the order this person meets them, the same after a reload. */
  ordered(questionId: string, options: readonly string[]): string[];
}

/** A question with the defaults that somebody's own jsPsych page may leave out; the server writes them all. */
export function wholeQuestion<Q extends Question>(question: Q): Q {
  return { ...QUESTION_DEFAULTS[question.kind], ...question };
}

export interface Frame {
  readonly element: HTMLElement;
  readonly faultId: string;
  tell(fault: string | null): void;
}

/** Sets a question: prompt, controls, and a place for what is wrong. `labels` names the one control, if it is one. */
export function framed(question: Question, texts: Texts, controls: Child[], labels: string | null = null): Frame {
  const faultId = freshId("fault");
  const note = question.is_required ? null : h("span", { class: "optional" }, texts.optional);
  // Without the space, a screen reader says the two as one word.
  const prompt = [h("span", {}, question.prompt), note && " ", note];
  const fault = h("p", { class: "fault", id: faultId, hidden: true });
  const element = labels
    ? h("div", { class: "question" }, h("label", { class: "prompt", for: labels }, ...prompt), ...controls, fault)
    : h(
        "fieldset",
        { class: "question", "aria-describedby": faultId },
        h("legend", { class: "prompt" }, ...prompt),
        ...controls,
        fault,
      );
  element.dataset["question"] = question.question_id;
  return {
    element,
    faultId,
    tell(sentence) {
      fault.textContent = sentence ?? "";
      fault.hidden = sentence === null;
      element.classList.toggle("has-fault", sentence !== null);
    },
  };
}

/** Lays out options: short ones may share a row, and many or short ones go into two columns where there is room. */
export function optionList(read: readonly string[], cards: readonly HTMLElement[], mayShareRow = false): HTMLElement {
  const isAtMost = (n: number, length: number) => read.length <= n && read.every((option) => option.length <= length);
  if (mayShareRow && (isAtMost(3, 24) || isAtMost(5, 10))) return h("div", { class: "options in-row" }, ...cards);
  const isList = read.length > 4 && isAtMost(20, 48);
  const kind = isList ? " in-columns" : isAtMost(4, 32) ? " in-pairs" : "";
  const element = h("div", { class: `options${kind}` }, ...cards);
  if (isList) element.style.setProperty("--n-rows", String(Math.ceil(read.length / 2)));
  return element;
}

/** The fault of a question without an answer: none when it is optional. */
export function unanswered(question: Question, sentence: string): string | null {
  return question.is_required ? sentence : null;
}
