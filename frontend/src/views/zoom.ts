/** Zoom: one picture as large as the window allows, in a dialog that the keyboard can close. */

import type { Json } from "../schema";
import { h } from "../shared/dom";
import type { Context } from "../shared/task";

export interface Zoomed {
  /** The picture, drawn anew. */
  readonly element: HTMLElement;
  readonly title: string;
  readonly caption: string;
  /** Goes into the log with every look. */
  readonly told: Json;
}

/** Opens the dialog, and tells how long it was open. */
export function zoom({ element, title, caption, told }: Zoomed, context: Context): void {
  const opened = performance.now();
  context.log("picture_opened", told);
  const close = h(
    "button",
    { type: "button", class: "button primary", onclick: () => dialog.close() },
    context.texts.close,
  );
  const dialog = h(
    "dialog",
    { class: "dialog is-picture", "aria-label": title },
    h("figure", { class: "zoomed" }, element, caption ? h("figcaption", {}, caption) : null),
    h("div", { class: "actions" }, close),
  );
  dialog.addEventListener("close", () => {
    context.log("picture_closed", { ...told, open_ms: Math.round(performance.now() - opened) });
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}
