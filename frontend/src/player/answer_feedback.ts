/** Feedback on an answer, below the page that asked for it: people see item, answer and verdict together. */

import { h } from "../shared/dom";
import { feedbackNotice } from "../shared/notices";
import type { Texts } from "../shared/texts";
import type { StepState } from "./state";

/** What was asked and answered can be read again, also by a screen reader, and not be changed. */
function keepReadable(card: Element): void {
  const controls = "input, select, textarea, .question button";
  for (const control of card.querySelectorAll<HTMLInputElement>(controls)) control.disabled = true;
  for (const part of card.querySelectorAll<HTMLElement>(":scope > [inert]")) part.inert = false;
}

/** Shows whether the answer just given was right, and resolves when the participant goes on; at once without feedback. */
export function toldAbout(stage: HTMLElement, next: StepState | null, texts: Texts): Promise<void> {
  const notice = next ? feedbackNotice(next.feedback, texts, true) : null;
  if (!notice) return Promise.resolve();
  return new Promise((resolve) => {
    const button = h(
      "button",
      { type: "button", class: "button primary", onclick: () => resolve() },
      texts.feedback.next,
    );
    const panel = h("section", { class: "answer-feedback" }, notice, h("div", { class: "actions" }, button));
    const card = stage.querySelector(".card");
    // Some tasks put their way on next to the questions. It is over, and so is what it says about saving.
    for (const actions of stage.querySelectorAll(".actions")) actions.setAttribute("hidden", "");
    if (card) keepReadable(card);
    (card ?? stage).append(panel);
    panel.scrollIntoView({ block: "nearest" });
    button.focus({ preventScroll: true });
  });
}
