/** What the participant learns about earlier answers: below the page that asked, or at the top of the next one. */

import type { Answers, GateState, ShownFeedback } from "../schema";
import { h } from "./dom";
import type { Context } from "./task";
import type { Texts } from "./texts";

/** Returns the notices that belong on a page: tries, what was wrong, or feedback that was not seen yet. */
export function notices(context: Context): HTMLElement[] {
  const { texts, feedback } = context;
  const words = context.gate ? gateWords(context.gate, context.tryNumber, texts) : null;
  const again = context.tryNumber > 1 ? texts.again : null;
  const isSeen = context.saved.some((event) => event.action === "feedback_seen");
  const share = feedback.share_correct;
  return [
    line(words ?? again),
    isSeen ? null : feedbackNotice(feedback, texts, false),
    share === null ? null : line(texts.feedback.share(Math.round(share * feedback.n_judged), feedback.n_judged)),
  ].filter((notice) => notice !== null);
}

/** Says whether an answer was right; null without feedback. `isHere` while the answered page is still in sight. */
export function feedbackNotice(feedback: ShownFeedback, texts: Texts, isHere: boolean): HTMLElement | null {
  const isCorrect = feedback.is_correct;
  if (isCorrect === null) return null;
  const words = texts.feedback;
  const right = isCorrect ? "" : rightAnswer(feedback.answers);
  const verdict = isHere ? (isCorrect ? words.right : words.wrong) : isCorrect ? words.lastRight : words.lastWrong;
  const sentence = [verdict, right && words.answerWas(right), feedback.reason].filter(Boolean).join(" ");
  return h("p", { class: `notice ${isCorrect ? "is-right" : "is-wrong"}`, role: "status" }, sentence);
}

function gateWords({ tries_left, wrong }: GateState, tryNumber: number, { gate, references }: Texts): string {
  if (tryNumber === 1) return tries_left === null ? gate.unlimited : gate.tries(tries_left);
  const found = wrong.length > 0 ? gate.marked(wrong.length) : gate.missed;
  return [found, tries_left === null ? gate.unlimited : gate.left(tries_left), gate.reread(references.open)].join(" ");
}

function line(words: string | null): HTMLElement | null {
  return words === null ? null : h("p", { class: "notice", role: "status" }, words);
}

/** Writes a share as a whole percentage. */
export function percent(share: number, language: string): string {
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

function rightAnswer(answers: Answers): string {
  return Object.values(answers)
    .map((answer) =>
      Array.isArray(answer) ? answer.join(", ") : typeof answer === "object" ? JSON.stringify(answer) : String(answer),
    )
    .join("; ");
}
