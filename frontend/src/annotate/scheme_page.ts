/** The frame of a researcher's page about a coding scheme: the way back, and a first panel with title and links. */

import { wayBack } from "../dashboard/way_back";
import { type Child, h } from "../shared/dom";

/** Draws the page: its name below the scheme's title, links, what the first panel says, and what follows it. */
export function schemePage(
  { title, name }: { title: string; name: string },
  links: HTMLElement,
  panel: readonly Child[],
  rest: readonly Child[],
): HTMLElement {
  const heading = h("div", {}, h("p", { class: "eyebrow" }, title), h("h1", { tabindex: -1 }, name));
  return h(
    "div",
    { class: "column" },
    wayBack("#/", "Texts to code"),
    h("section", { class: "panel" }, h("div", { class: "panel-top" }, heading, links), ...panel),
    ...rest,
  );
}
