/** Announcement: says that another part begins, how long it is, and offers a break during which no clock runs. */

import type { OpeningState } from "../schema";
import { h } from "../shared/dom";
import { prose } from "../shared/prose";
import type { Texts } from "../shared/texts";
import { message } from "./messages";
import type { Shell } from "./shell";
import type { StepState } from "./state";

export interface AnnouncementParts {
  readonly shell: Shell;
  readonly texts: Texts;
  /** How long a place is kept while nothing happens. */
  readonly kept_min: number;
  /** Writes down that a break began or ended. */
  rested(action: "break_started" | "break_ended"): void;
}

/** Shows the announcement of a step and resolves when the participant goes on. */
export function announced(step: StepState, opening: OpeningState, parts: AnnouncementParts): Promise<void> {
  const { shell, texts } = parts;
  const holder = h("div", { class: "between" });
  shell.between(holder);
  return new Promise((resolve) => {
    const goOn = () => {
      holder.remove();
      resolve();
    };
    const begin = h("button", { type: "button", class: "button primary", onclick: goOn }, texts.parts.begin);
    const rest = opening.has_break
      ? h(
          "button",
          { type: "button", class: "button", onclick: () => void takeBreak(holder, parts).then(open) },
          texts.parts.rest,
        )
      : null;
    const open = () => {
      holder.replaceChildren(card(step, opening, texts, h("div", { class: "actions" }, rest, begin)));
      shell.stage.dataset["task"] = "announcement";
      shell.focusHeading();
    };
    open();
  });
}

function card({ part, purpose }: StepState, opening: OpeningState, texts: Texts, actions: HTMLElement): HTMLElement {
  const words = texts.parts;
  const isKnown = purpose === "practice" || purpose === "learning" || purpose === "main";
  const [usual, usualText] = words.next[isKnown ? purpose : "other"];
  // Without a title of its own, a stage is announced by what it is for; the part it belongs to stays in the frame.
  const isPart = part !== null && opening.begins_part;
  const text = opening.text || (isPart ? "" : usualText);
  const made = message({
    heading: isPart ? part.title : usual,
    more: [
      text ? h("div", { class: "prose is-large" }, ...prose(text)) : null,
      h("p", { class: "hint" }, words.size(opening.n_pages, Math.round(opening.minutes))),
      actions,
    ],
  });
  if (isPart && part.n_parts > 1) made.prepend(h("p", { class: "eyebrow" }, words.number(part.number, part.n_parts)));
  made.classList.add("announcement");
  made.classList.remove("message");
  return made;
}

function takeBreak(holder: HTMLElement, { shell, texts, kept_min, rested }: AnnouncementParts): Promise<void> {
  const words = texts.parts;
  rested("break_started");
  return new Promise((resolve) => {
    const back = () => {
      rested("break_ended");
      resolve();
    };
    const button = h("button", { type: "button", class: "button primary", onclick: back }, words.back);
    const shown = message({
      heading: words.breakHeading,
      text: words.breakText(Math.floor(kept_min)),
      more: [h("div", { class: "actions" }, button)],
    });
    shown.classList.add("announcement");
    shown.classList.remove("message");
    holder.replaceChildren(shown);
    shell.stage.dataset["task"] = "break";
    shell.focusHeading();
  });
}
