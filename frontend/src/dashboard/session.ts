/** One session: who it was, how it ended, its replay, and the way to exclude it. */

import { h } from "../shared/dom";
import { kindLabel } from "./counts";
import { copyOf, type Desk, type SessionRecord, type StudyCounts } from "./desk";
import { askToErase, askToExclude } from "./exclusion";
import { labels } from "./labels";
import { Replay } from "./replay";
import { outcomeLabel } from "./sessions";
import { wayBack } from "./way_back";

export interface SessionView {
  readonly element: HTMLElement;
  /** Whether more may come. */
  isOpen(): boolean;
  /** Takes the session as it is now. */
  renew(found: SessionRecord): void;
  close(): void;
}

/** What may be done with a session: taken out of the sample for a reason, and labelled. */
export interface SessionActs {
  readonly desk: Desk;
  exclude(reason: string): Promise<void>;
  /** Removes everything that is stored about the person. */
  erase(): Promise<void>;
  label(about: string, label: string): Promise<void>;
}

/** Draws a session. */
export function sessionView(
  study: StudyCounts,
  sessionId: string,
  found: SessionRecord,
  acts: SessionActs,
): SessionView {
  let record = found;
  const replay = new Replay(record, study);
  const ask = () => askToExclude(acts.exclude);
  const askErase = () => askToErase(acts.erase);
  const given = labels(record, acts.desk, acts.label);
  const badges = h("span", { class: "badges" }, ...badgesOf(record));
  const started = record.events.find((event) => event.type === "session_started");
  const isExcluded = record.events.some((event) => event.type === "session_excluded");
  const element = h(
    "div",
    { class: "session" },
    wayBack(`#/${encodeURIComponent(study.name)}`, study.title),
    h(
      "section",
      { class: "panel panel-top", "aria-label": "Session" },
      h(
        "div",
        { class: "study-name" },
        h("p", { class: "eyebrow" }, "Session"),
        h("div", { class: "who" }, h("h1", { tabindex: -1 }, started?.participant_id ?? sessionId), badges),
      ),
      acts.desk.may("export")
        ? h(
            "a",
            { class: "button quiet", href: copyOf(study.name, sessionId), download: "my-data.zip" },
            "Copy for this person",
          )
        : null,
      acts.desk.may("exclude")
        ? h("button", { type: "button", class: "button quiet", onclick: askErase }, "Erase this person…")
        : null,
      isExcluded || !acts.desk.may("exclude")
        ? null
        : h("button", { type: "button", class: "button danger", onclick: ask }, "Exclude…"),
    ),
    replay.element,
    given.element,
  );
  return {
    element,
    isOpen: () => !record.events.some((event) => event.type === "session_ended"),
    renew(fresh) {
      if (fresh.events.length === record.events.length) return;
      record = fresh;
      replay.renew(fresh);
      given.renew(fresh);
      badges.replaceChildren(...badgesOf(fresh));
    },
    close: () => replay.close(),
  };
}

function badgesOf({ events, warnings }: SessionRecord): HTMLElement[] {
  const started = events.find((event) => event.type === "session_started");
  const ended = events.findLast((event) => event.type === "session_ended");
  const exclusion = events.find((event) => event.type === "session_excluded");
  const condition = started?.assignment.condition;
  return [
    kindLabel(started?.participant_kind ?? "person"),
    ...(condition ? [h("span", { class: "badge" }, condition)] : []),
    outcomeLabel(ended?.outcome ?? null, exclusion !== undefined),
    ...(warnings.length > 0 ? [h("span", { class: "badge is-excluded" }, "warning")] : []),
    ...warnings.map((warning) => h("span", { class: "noticed" }, warning)),
    ...(exclusion ? [h("span", { class: "reason" }, `Reason: ${exclusion.reason}`)] : []),
  ];
}
