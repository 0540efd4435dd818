/** The people who are taking part right now: where they are, and when the server last heard from them. */

import { h } from "../shared/dom";
import type { Desk, SessionRow, StudyCounts } from "./desk";
import { sinceWords } from "./figures";
import { sessionAddress, warningsOf } from "./sessions";

const MOST = 100;
/** Whoever was heard from within this time is there; a page that is read slowly says nothing for a while. */
const RECENT_MS = 5 * 60_000;

export interface ActivePanel {
  readonly element: HTMLElement;
  refresh(study: StudyCounts): Promise<void>;
}

/** Draws the panel; it is hidden while nobody is active, and then asks the server for nothing. */
export function activePanel(desk: Desk, study: StudyCounts): ActivePanel {
  const list = h("ul", { class: "active-people" });
  const silent = h("p", { class: "hint" });
  const heading = h("h2", { id: "active-heading" }, "Active now");
  const element = h(
    "section",
    { class: "panel", "aria-labelledby": "active-heading", hidden: true },
    heading,
    list,
    silent,
  );
  let drawn = "";
  const refresh = async (now: StudyCounts) => {
    const n = now.cells.reduce((total, cell) => total + cell.active, 0);
    element.hidden = n === 0;
    if (n === 0) return;
    const page = await desk.sessions(study.name, { outcome: "active", limit: String(MOST) });
    const here = page.rows.filter((row) => page.now_ms - seenOf(row) <= RECENT_MS);
    const people = here.map((row) => personOf(study.name, row, page.now_ms));
    const nSilent = page.rows.length - here.length;
    const text = JSON.stringify([page.total, nSilent, people.map((person) => person.textContent)]);
    if (text === drawn) return;
    drawn = text;
    heading.textContent = `Active now: ${here.length}${page.total > MOST ? ` of the first ${MOST} under way` : ""}`;
    silent.textContent = silentWords(nSilent);
    silent.hidden = nSilent === 0;
    const focused = document.activeElement?.getAttribute("href");
    list.replaceChildren(...people);
    if (focused) [...list.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
  };
  return { element, refresh };
}

function seenOf(row: SessionRow): number {
  return row.last_seen_ms ?? row.started_ms;
}

function silentWords(n: number): string {
  const minutes = RECENT_MS / 60_000;
  return n === 1
    ? `One more is under way, but was not heard from for ${minutes} minutes.`
    : `${n} more are under way, but were not heard from for ${minutes} minutes.`;
}

function personOf(study: string, row: SessionRow, now_ms: number): HTMLElement {
  return h(
    "li",
    { "data-active": row.session_id },
    h(
      "a",
      { href: sessionAddress(study, row.session_id), "aria-label": `Arrival ${row.arrival + 1}, open the session` },
      `#${row.arrival + 1}`,
    ),
    h("span", {}, row.condition),
    h("span", {}, whereabouts(row.step)),
    h("span", { class: "soft" }, `last heard from ${sinceWords(now_ms - seenOf(row))} ago`),
    row.warnings.length > 0 ? warningsOf(row.warnings) : null,
  );
}

/** Says where somebody is; a blinded study names only the page, since step numbers tell conditions apart. */
export function whereabouts(step: string | null): string {
  if (step === null) return "opening the page";
  return /^\d/.test(step) ? `step ${step}` : `at ${step}`;
}
