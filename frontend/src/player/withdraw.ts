/** Withdraw: the way out that every screen offers, with or without one's data. */

import { h } from "../shared/dom";
import type { Texts } from "../shared/texts";

/** Opens the dialog; `chosen` ends the session and may fail while the connection is away. */
export function askToStop(texts: Texts, chosen: (erase: boolean) => Promise<void>): void {
  const fault = h("p", { class: "fault", role: "alert", hidden: true }, texts.menu.failed);
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
  const heading = h("h2", { id: "stop-heading" }, texts.menu.heading);
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": "stop-heading" },
    heading,
    h("p", {}, texts.menu.text),
    fault,
    h(
      "div",
      { class: "stack" },
      button(texts.menu.stay, "primary", () => dialog.close()),
      button(texts.menu.keep, "", () => void choose(false)()),
      button(texts.menu.erase, "danger", () => void choose(true)()),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
