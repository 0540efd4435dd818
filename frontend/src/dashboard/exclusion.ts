/** Exclusion: takes a session out of the sample, never without a reason. */

import { freshId, h } from "../shared/dom";

/** Opens the dialog; `exclude` throws what the server has against it. */
export function askToExclude(exclude: (reason: string) => Promise<void>): void {
  const [heading, fieldId] = [freshId("exclude"), freshId("reason")];
  const field = h("textarea", { class: "entry", id: fieldId, rows: 3, required: true });
  const fault = h("p", { class: "fault", role: "alert" });
  const close = () => {
    dialog.close();
    dialog.remove();
  };
  const send = async (event: Event) => {
    event.preventDefault();
    const reason = field.value.trim();
    if (reason === "") {
      fault.textContent = "Please give a reason.";
      field.focus();
      return;
    }
    try {
      await exclude(reason);
      close();
    } catch (error) {
      fault.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const form = h(
    "form",
    { class: "stack", novalidate: true, onsubmit: (event) => void send(event) },
    h("label", { class: "field-name", for: fieldId }, "Reason"),
    field,
    fault,
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "button", onclick: close }, "Cancel"),
      h("button", { type: "submit", class: "button danger" }, "Exclude"),
    ),
  );
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": heading, oncancel: () => dialog.remove() },
    h("h2", { id: heading }, "Exclude this session?"),
    h(
      "p",
      {},
      "Its events stay in the log, but it no longer counts. The reason is shown in the participant flow of the report and cannot be taken back.",
    ),
    form,
  );
  document.body.append(dialog);
  dialog.showModal();
  field.focus();
}
