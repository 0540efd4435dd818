/** Asks for a reason before something that cannot be taken back. */

import { freshId, h } from "../shared/dom";

export interface ReasonAsked {
  readonly heading: string;
  readonly text: string;
  readonly button: string;
  /** What the field is called; a reason by default. */
  readonly label?: string;
  /** The word that has to be typed; any text by default. */
  readonly wanted?: string;
}

/** Opens the dialog; `act` throws what the server has against it. */
export function askForReason(asked: ReasonAsked, act: (reason: string) => Promise<void>): void {
  const [heading, fieldId] = [freshId("asked"), freshId("reason")];
  const field = h("textarea", { class: "entry", id: fieldId, rows: 3, required: true });
  const fault = h("p", { class: "fault", role: "alert" });
  const close = () => {
    dialog.close();
    dialog.remove();
  };
  const send = async (event: Event) => {
    event.preventDefault();
    const reason = field.value.trim();
    if (reason === "" || (asked.wanted !== undefined && reason !== asked.wanted)) {
      fault.textContent = asked.wanted === undefined ? "Please give a reason." : `Please type: ${asked.wanted}`;
      field.focus();
      return;
    }
    try {
      await act(reason);
      close();
    } catch (error) {
      fault.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const form = h(
    "form",
    { class: "stack", novalidate: true, onsubmit: (event) => void send(event) },
    h("label", { class: "field-name", for: fieldId }, asked.label ?? "Reason"),
    field,
    fault,
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "button", onclick: close }, "Cancel"),
      h("button", { type: "submit", class: "button danger" }, asked.button),
    ),
  );
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": heading, oncancel: () => dialog.remove() },
    h("h2", { id: heading }, asked.heading),
    h("p", {}, asked.text),
    form,
  );
  document.body.append(dialog);
  dialog.showModal();
  field.focus();
}
