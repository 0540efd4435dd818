/** One session: who it was, how it ended, its replay, and the way to exclude it. */

import { h } from "../shared/dom";
import { kindLabel } from "./counts";
import type { Desk, Kind, SessionRecord, StudyCounts } from "./desk";
import { askToExclude } from "./exclusion";
import { Replay } from "./replay";
import { outcomeLabel } from "./sessions";

export interface SessionView {
  readonly element: HTMLElement;
  close(): void;
}

/** Draws a session; `excluded` is called after it was taken out of the sample. */
export function sessionView(desk: Desk, study: StudyCounts, sessionId: string, found: SessionRecord, excluded: () => void): SessionView {
  const replay = new Replay(found, study);
  const started = found.events.find((one) => one.type === "session_started");
  const ended = found.events.findLast((one) => one.type === "session_ended");
  const exclusion = found.events.find((one) => one.type === "session_excluded");
  const assignment = started?.["assignment"] as { condition?: string } | undefined;
  const ask = () =>
    askToExclude(async (reason) => {
      await desk.exclude(study.name, sessionId, reason);
      excluded();
    });
  const element = h(
    "div",
    { class: "session" },
    h(
      "section",
      { class: "panel panel-top", "aria-label": "Session" },
      h(
        "div",
        { class: "study-name" },
        h("p", { class: "eyebrow" }, h("a", { href: `#/${encodeURIComponent(study.name)}` }, study.title), " / session"),
        h(
          "div",
          { class: "who" },
          h("h1", { tabindex: -1 }, String(started?.["participant_id"] ?? sessionId).slice(0, 14)),
          kindLabel((started?.["participant_kind"] as Kind | undefined) ?? "person"),
          assignment?.condition ? h("span", { class: "badge" }, assignment.condition) : null,
          outcomeLabel((ended?.["outcome"] as string | undefined) ?? null, exclusion !== undefined),
          exclusion ? h("span", { class: "reason" }, `Reason: ${String(exclusion["reason"])}`) : null,
        ),
      ),
      exclusion ? null : h("button", { type: "button", class: "button danger", onclick: ask }, "Exclude…"),
    ),
    replay.element,
  );
  return { element, close: () => replay.close() };
}
