/** Icons: four for cells and three for states, told apart by form and not by hue. */

import { type Drawn, d } from "./drawn";
import type { Cell, State } from "./verdicts";

/** Draws what an analysis says about a hypothesis; `isSilenced` marks a difference that is not counted. */
export function cellIcon(cell: Cell, { isSilenced = false, isActive = false } = {}): Drawn {
  switch (cell) {
    case "supports":
      return d(
        "g",
        {},
        d("circle", { class: "full", r: 7.5 }),
        d("path", { class: "inside", d: "M-3.6 0H3.6M0 -3.6V3.6" }),
      );
    case "rejects":
      return d("g", {}, d("circle", { class: "ring", r: 7 }), d("path", { class: "stroke", d: "M-3.4 0H3.4" }));
    case "unproven":
      return d(
        "g",
        {},
        d("circle", { class: "open", r: 3 }),
        isSilenced ? d("path", { class: "stroke", d: "M-5 5L5 -5" }) : null,
      );
    case "conditional":
      return d(
        "g",
        { class: isActive ? "is-active" : null },
        d("path", { class: "diamond", d: "M0 -5.5L5.5 0L0 5.5L-5.5 0Z" }),
      );
  }
}

/** Draws the state of a hypothesis. */
export function stateIcon(state: State): Drawn {
  return d("g", { class: "state" }, ...stateParts(state));
}

function stateParts(state: State): Drawn[] {
  switch (state) {
    case "confirmed":
      return [d("circle", { class: "full", r: 8.5 }), d("path", { class: "inside", d: "M-4 0.3L-1.2 3.2L4 -2.8" })];
    case "rejected":
      return [d("circle", { class: "ring", r: 8 }), d("path", { class: "stroke", d: "M-3 -3L3 3M3 -3L-3 3" })];
    case "unproven":
      return [
        d("circle", { class: "open broken", r: 8 }),
        d("text", { class: "asks", y: 4, "aria-hidden": "true" }, "?"),
      ];
  }
}
