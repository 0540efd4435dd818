/** Withdrawal: three plain choices, none hidden and none pushed; erasing is asked twice, since it cannot be undone. */

import { h } from "../shared/dom";
import type { Texts } from "../shared/texts";

export interface Stopping {
  /** Whether somebody who erased everything may start over. */
  readonly mayRestart: boolean;
  /** Whether this browser has only an id: it may close the page, and neither end nor erase what may be another's. */
  readonly isGuest?: boolean;
  /** Whether anybody is paid. */
  readonly isPaid: boolean;
  chosen(erase: boolean): Promise<void>;
}

/** Asks whether to stop; `chosen` is told whether the data go too, and its failure is said in the same dialog. */
export function askToStop(texts: Texts, { mayRestart, isGuest = false, isPaid, chosen }: Stopping): void {
  const words = texts.menu;
  const fault = h("p", { class: "fault", role: "alert", hidden: true }, words.failed);
  const choose = (erase: boolean) => async () => {
    fault.hidden = true;
    try {
      await chosen(erase);
      dialog.close();
    } catch {
      fault.hidden = false;
    }
  };
  const button = (label: string, kind: string, press: () => void) =>
    h("button", { type: "button", class: `button ${kind}`, onclick: press }, label);
  const heading = h("h2", { id: "stop-heading", tabindex: -1 });
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "stop-heading" });
  const show = (title: string, sentences: string[], ...choices: HTMLElement[]) => {
    heading.textContent = title;
    fault.hidden = true;
    const lines = sentences.map((sentence) => h("p", {}, sentence));
    dialog.replaceChildren(heading, ...lines, fault, h("div", { class: "stack" }, ...choices));
  };
  const ask = () =>
    show(
      words.heading,
      [words.text, words.keepText],
      button(words.stay, "primary", () => dialog.close()),
      button(words.keep, "", () => void choose(false)()),
      button(words.erase, "danger", confirm),
    );
  const confirm = () => {
    show(
      words.sureHeading,
      [mayRestart ? words.sureAgain : words.sureText, ...(isPaid ? [words.surePay] : [])],
      button(words.unsure, "primary", () => {
        ask();
        // The button that had the focus is gone; without this, a screen reader would say nothing.
        heading.focus();
      }),
      button(words.sure, "danger", () => void choose(true)()),
    );
    heading.focus();
  };
  if (isGuest)
    show(
      words.heading,
      words.guest,
      button(words.stay, "primary", () => dialog.close()),
    );
  else ask();
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
