/** Alternatives: what speaks for each of several options, one behind the other, as tabs. */

import type { Alternatives, Explanation } from "../schema";
import { type Child, freshId, h } from "../shared/dom";
import { lastSaved } from "../shared/saved";
import type { Context } from "../shared/task";

export interface Tabs {
  readonly element: HTMLElement;
  /** Brings an option to the front; the first one is 0. */
  open(index: number): void;
  /** Says something below the name of an option, such as how much of it is done. */
  note(index: number, words: string): void;
}

/** Draws each option with `draw`; `optionName` has {option} in place of the number. */
export function alternatives(
  { options }: Alternatives,
  context: Context,
  optionName: string,
  draw: (option: Explanation, index: number) => HTMLElement,
): HTMLElement {
  return optionTabs(
    options.map((_, index) => optionLabel(index + 1, context, optionName)),
    (index) => draw(options[index] as Explanation, index),
    context,
  ).element;
}

/** Returns what an option is called, in the study's words or in those of the page. */
export function optionLabel(number: number, context: Context, optionName = ""): string {
  return optionName ? optionName.replaceAll("{option}", String(number)) : context.texts.views.option(number);
}

/** Makes the tabs. Arrow keys, Home and End move between them, as in every list of tabs; each opening is logged. */
export function optionTabs(labels: readonly string[], draw: (index: number) => Child, context: Context): Tabs {
  const kept = lastSaved(context.saved, "option_opened")?.option ?? 1;
  const ids = labels.map(() => freshId("option"));
  const notes = labels.map(() => h("span", { class: "tab-note" }));
  const tabs = labels.map((label, index) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `${ids[index]}-tab`,
        "aria-controls": ids[index],
        onclick: () => open(index, true),
      },
      label,
      // Read aloud or copied, the name and the count would otherwise be one word.
      " ",
      notes[index],
    ),
  );
  const panels = labels.map((_, index) =>
    h("div", { role: "tabpanel", id: ids[index], "aria-labelledby": `${ids[index]}-tab` }, draw(index)),
  );
  let shown = -1;
  const open = (index: number, isChosen: boolean) => {
    if (index === shown) return;
    shown = index;
    for (const [place, tab] of tabs.entries()) {
      tab.setAttribute("aria-selected", String(place === index));
      tab.tabIndex = place === index ? 0 : -1;
      (panels[place] as HTMLElement).hidden = place !== index;
    }
    if (isChosen) context.log("option_opened", { option: index + 1 });
  };
  const list = h("div", { role: "tablist", "aria-label": context.texts.views.options }, ...tabs);
  list.addEventListener("keydown", (event) => {
    const last = tabs.length - 1;
    const moves: Record<string, number> = {
      ArrowRight: shown === last ? 0 : shown + 1,
      ArrowLeft: shown === 0 ? last : shown - 1,
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    open(next, true);
    tabs[next]?.focus();
  });
  open(Math.min(Math.max(kept, 1), labels.length) - 1, false);
  return {
    element: h("div", { class: "alternatives" }, list, ...panels),
    open: (index) => open(index, true),
    note: (index, words) => {
      const note = notes[index];
      if (note) note.textContent = words;
      // Read as one text, "Option 1" and "0 of 3 rated" become option 10.
      tabs[index]?.setAttribute("aria-label", `${labels[index]}, ${words}`);
    },
  };
}
