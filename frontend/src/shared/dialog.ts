/** Dialog: material in a window of its own over the page, closed by a button or by Escape. */

import { h } from "./dom";

export interface DialogParts {
  /** What a screen reader says when it opens. */
  readonly label: string;
  readonly className: string;
  readonly body: HTMLElement;
  readonly close: string;
  /** Further controls, in front of the one that closes. */
  readonly extra?: readonly HTMLElement[];
  /** Called with the time it was open. */
  readonly closed: (openMs: number) => void;
}

/** Opens a dialog, which removes itself when it is closed. */
export function openDialog({ label, className, body, close, extra = [], closed }: DialogParts): HTMLDialogElement {
  const opened = performance.now();
  const button = h("button", { type: "button", class: "button primary", onclick: () => dialog.close() }, close);
  const dialog = h(
    "dialog",
    { class: `dialog ${className}`, "aria-label": label },
    body,
    h("div", { class: "actions" }, ...extra, button),
  );
  dialog.addEventListener("close", () => {
    closed(Math.round(performance.now() - opened));
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
