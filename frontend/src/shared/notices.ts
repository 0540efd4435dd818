/** What the participant learns about earlier answers, at the top of the next page. */

import type { Answers } from "../schema";
import { h } from "./dom";
import type { Context } from "./task";

/** Returns the notices that belong on a page: another try, or feedback on the answer before. */
export function notices(context: Context): HTMLElement[] {
  const { texts, feedback } = context;
  const found: HTMLElement[] = [];
  if (context.tryNumber > 1) found.push(h("p", { class: "notice", role: "status" }, texts.again(context.tryNumber)));
  const isCorrect = feedback.is_correct;
  if (isCorrect !== null) {
    const right = rightAnswer(feedback.answers);
    const words = isCorrect
      ? texts.feedback.right
      : `${texts.feedback.wrong} ${right ? texts.feedback.answerWas(right) : ""}`;
    found.push(h("p", { class: `notice ${isCorrect ? "is-right" : "is-wrong"}`, role: "status" }, words.trim()));
  }
  const share = feedback.share_correct;
  if (share !== null)
    found.push(h("p", { class: "notice", role: "status" }, texts.feedback.share(percent(share, context.language))));
  return found;
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
