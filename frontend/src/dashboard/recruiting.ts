/** Recruiting: the link that participants get, ready to copy, and the switch that lets nobody new start. */

import { h } from "../shared/dom";
import { type Desk, Refused, type StudyCounts } from "./desk";

const LINK_HINTS: Record<StudyCounts["links"], string> = {
  open: "Recruiters add the person's id, as in ?PROLIFIC_PID=…",
  listed: "Works only with an id from allowed_ids.txt, as in ?PROLIFIC_PID=…",
  signed: "Works only with a signature: print one link per person with understudy links.",
};

export interface Recruiting {
  readonly element: HTMLElement;
  update(study: StudyCounts): void;
}

/** Draws the panel; `changed` is called when recruitment was paused or resumed. */
export function recruiting(desk: Desk, study: StudyCounts, changed: () => void): Recruiting {
  const state = h("p", { class: "recruiting-state", role: "status" });
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  let isPaused = study.is_paused;
  const press = async () => {
    fault.hidden = true;
    try {
      await desk.pause(study.name, !isPaused);
      changed();
    } catch (error) {
      fault.hidden = false;
      fault.textContent = error instanceof Refused ? error.message : "The server cannot be reached.";
    }
  };
  const button = h("button", { type: "button", class: "button small", onclick: () => void press() });
  button.hidden = !desk.may("recruit");
  const update = (now: StudyCounts) => {
    isPaused = now.is_paused;
    // Written only when it changes, so that a screen reader does not say it every two seconds.
    const there = now.is_platform_paused
      ? "It is paused at your recruiter, too: when you resume it here, resume it there as well."
      : "Your recruiter does not know about this, so pause the study there, too.";
    const words = isPaused
      ? `Recruitment is paused. People who have begun can finish; nobody new can start. ${there}`
      : "Open to new participants.";
    if (state.textContent !== words) state.textContent = words;
    button.textContent = isPaused ? "Resume recruitment" : "Pause recruitment";
    state.classList.toggle("is-paused", isPaused);
  };
  update(study);
  const element = h(
    "section",
    { class: "panel recruiting", "aria-labelledby": "recruiting-heading" },
    h("h2", { id: "recruiting-heading" }, "Recruiting"),
    participantLink(study),
    h("div", { class: "recruiting-line" }, state, button),
    fault,
  );
  return { element, update };
}

function participantLink(study: StudyCounts): HTMLElement {
  const address = `${location.origin}/s/${encodeURIComponent(study.name)}`;
  const field = h("input", { class: "entry", id: "participant-link", readonly: true, value: address });
  const told = h("span", { class: "copied", role: "status" });
  const copy = async () => {
    field.select();
    // Without https there is no clipboard to write to; the link is selected, ready for the keyboard.
    const isCopied = await copied(address);
    told.textContent = isCopied ? "Copied" : "Selected: press Ctrl+C to copy.";
  };
  return h(
    "div",
    {},
    h("label", { class: "field-name", for: "participant-link" }, "Participant link"),
    h(
      "div",
      { class: "recruiting-line" },
      field,
      h("button", { type: "button", class: "button small", onclick: () => void copy() }, "Copy link"),
      told,
    ),
    h("p", { class: "hint" }, LINK_HINTS[study.links]),
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
