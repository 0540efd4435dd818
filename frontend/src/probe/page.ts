/** The page: what a script tag, or an engine without a page, finds under the name `understudyProbe`. */

import { mount } from "./shell";
import type { Verdicts } from "./verdicts";

export { svg } from "./picture";
export { rulings } from "./rules";
export { mount };

/** Shows the verdicts that the document holds. */
export function begin(): void {
  const held = document.getElementById("verdicts")?.textContent;
  const host = document.getElementById("probe");
  if (!held || host === null)
    throw new Error("The page holds no verdicts; make it again with understudy.probe.picture.page.");
  mount(JSON.parse(held) as Verdicts, host);
}
