/** Zoom: one picture as large as the window allows, in a dialog that the keyboard can close. */

import type { Json } from "../schema";
import { openDialog } from "../shared/dialog";
import { h } from "../shared/dom";
import type { Context } from "../shared/task";

export interface Zoomed {
  /** The picture, redrawn. */
  readonly element: HTMLElement;
  readonly title: string;
  readonly caption: string;
  /** Goes into the log with every look. */
  readonly told: Json;
}

/** Opens the dialog, and logs how long it was open. */
export function zoom({ element, title, caption, told }: Zoomed, context: Context): void {
  context.log("picture_opened", told);
  openDialog({
    label: title,
    className: "is-picture",
    body: h("figure", { class: "zoomed" }, element, caption ? h("figcaption", {}, caption) : null),
    close: context.texts.close,
    closed: (open_ms) => context.log("picture_closed", { ...told, open_ms }),
  });
}
