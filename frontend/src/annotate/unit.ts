/** A text or recording as annotators see it: the question, what somebody answered, and nothing else. */

import type { ShownUnit } from "../schema";
import { h } from "../shared/dom";

/** Draws a unit. */
export function unitView(unit: ShownUnit): HTMLElement {
  return h(
    "div",
    { class: "read" },
    ...unit.texts.map((text) =>
      h(
        "figure",
        {},
        h("figcaption", {}, text.prompt),
        h("blockquote", { class: "answer-text", dir: "auto" }, text.text),
      ),
    ),
    ...unit.recordings.map((address, place) =>
      h(
        "figure",
        {},
        h("figcaption", {}, unit.recordings.length > 1 ? `Recording ${place + 1}` : "Recording"),
        h("audio", { controls: true, preload: "metadata", src: address, "aria-label": `Recording ${place + 1}` }),
      ),
    ),
  );
}
