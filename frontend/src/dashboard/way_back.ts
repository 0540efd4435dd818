/** The way back: one link at the top of every page but the first. */

import { h } from "../shared/dom";

/** Makes the link; the arrow is for the eye only. */
export function wayBack(address: string, label: string): HTMLElement {
  return h(
    "nav",
    { class: "way-back", "aria-label": "Back" },
    h("a", { href: address }, h("span", { "aria-hidden": "true" }, "← "), label),
  );
}
