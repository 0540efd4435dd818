/** Checklist: the controls that a practice wants used once, ticked as they are. */

import { h } from "../shared/dom";
import type { Texts } from "../shared/texts";
import type { Use } from "./kept";

export interface Checklist {
  readonly element: HTMLElement | null;
  used(use: Use): void;
  isDone(): boolean;
}

export function checklist(wanted: readonly Use[], before: ReadonlySet<Use>, texts: Texts): Checklist {
  const words = texts.reconstruct;
  const done = new Set<Use>();
  const marks = new Map(wanted.map((use) => [use, h("span", { class: "box", "aria-hidden": "true" }, "○")]));
  const said = new Map(wanted.map((use) => [use, h("span", { class: "visually-hidden" })]));
  const lines = wanted.map((use) => h("li", {}, marks.get(use), h("span", {}, words.uses[use]), said.get(use)));
  const used = (use: Use) => {
    const mark = marks.get(use);
    if (!mark || done.has(use)) return;
    done.add(use);
    mark.textContent = "✓";
    const spoken = said.get(use);
    if (spoken) spoken.textContent = ` (${words.used})`;
    mark.parentElement?.classList.add("is-done");
  };
  before.forEach(used);
  return {
    element:
      wanted.length > 0 ? h("div", { class: "checklist" }, h("p", {}, words.usesHeading), h("ul", {}, ...lines)) : null,
    used,
    isDone: () => wanted.every((use) => done.has(use)),
  };
}
