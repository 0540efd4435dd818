/** Several: explanations of different kinds about one answer, each under a heading of its own. */

import type { Explanation, Several } from "../schema";
import { h } from "../shared/dom";
import type { Context } from "../shared/task";

type Draw = (explanation: Explanation) => HTMLElement;

export function several({ parts }: Several, { texts }: Context, draw: Draw): HTMLElement {
  const headings: Record<string, string> = texts.views.parts;
  const drawn = parts.map((part) =>
    h("section", { class: "part" }, h("h3", {}, headings[part.kind] ?? texts.judge.explanation), draw(part)),
  );
  return h("div", { class: "several" }, ...drawn);
}
