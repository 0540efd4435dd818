/** The questions of one page as a form: collects, checks, says what is missing, and takes drafts back. */

import type { Answer, Answers, Question } from "../../schema";
import { h } from "../dom";
import type { Hands } from "../hands";
import { type Field, type FieldContext, field } from ".";

export interface Form {
  readonly element: HTMLElement;
  /** What has been entered so far, complete or not. */
  draft(): Answers;
  /** The answers, or null after saying what is missing. */
  answers(): Answers | null;
  put(answers: Answers): void;
  /** Enters answers through the controls, as a person would. */
  enter(answers: Answers, hands: Hands): void;
}

export function form(asks: readonly Question[], context: FieldContext): Form {
  const fields = new Map<string, Field>();
  const summary = h("p", { class: "summary", role: "alert" });
  let wasChecked = false;
  const heard: FieldContext = {
    ...context,
    ordered: (id, options) => context.ordered(id, options),
    changed() {
      if (wasChecked) tellFaults();
      context.changed();
    },
  };
  for (const question of asks) fields.set(question.question_id, field(question, heard));
  const tellFaults = (): Field[] => {
    const faulty: Field[] = [];
    for (const formField of fields.values()) {
      const fault = formField.fault();
      formField.tell(fault);
      if (fault !== null) faulty.push(formField);
    }
    const { faults_one, faults_many } = context.texts;
    summary.textContent = faulty.length === 0 ? "" : faulty.length === 1 ? faults_one : faults_many(faulty.length);
    return faulty;
  };
  const collected = (read: (formField: Field) => Answer) => {
    const found: Answers = {};
    for (const [id, formField] of fields) {
      const value = read(formField);
      if (value !== null) found[id] = value;
    }
    return found;
  };
  return {
    element: h("div", { class: "questions" }, ...[...fields.values()].map((formField) => formField.element), summary),
    draft: () => collected((formField) => (formField.draft ? formField.draft() : formField.value())),
    answers() {
      wasChecked = true;
      const faulty = tellFaults();
      faulty[0]?.focus();
      return faulty.length === 0 ? collected((formField) => formField.value()) : null;
    },
    put(answers) {
      for (const [id, value] of Object.entries(answers)) fields.get(id)?.put(value);
    },
    enter(answers, hands) {
      for (const [id, value] of Object.entries(answers)) if (value !== null) fields.get(id)?.enter(value, hands);
    },
  };
}
