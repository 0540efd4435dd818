/** The sessions of a study as a table, filtered and by the page. */

import { h } from "../shared/dom";
import { kindLabel } from "./counts";
import type { Desk, SessionPage, SessionRow, StudyCounts } from "./desk";
import { minutes } from "./figures";

const PER_PAGE = 25;
const OUTCOMES = ["active", "completed", "screened_out", "declined", "excluded", "withdrew", "abandoned"];
const COLUMNS = [
  "Arrival",
  "Participant",
  "Kind",
  "Condition",
  "Outcome",
  "Warnings",
  "Step",
  "Started",
  "Time",
  "Code",
  "Session",
];

export interface SessionTable {
  readonly element: HTMLElement;
  refresh(): Promise<void>;
}

/** Draws the table; `refresh` asks the server again and redraws only what changed. */
export function sessionTable(desk: Desk, study: StudyCounts): SessionTable {
  let offset = 0;
  let drawn = "";
  const body = h("tbody", {});
  const range = h("p", { class: "place", role: "status" });
  const changed = () => {
    offset = 0;
    void refresh();
  };
  const outcome = choice("Outcome", OUTCOMES, changed);
  const condition = choice("Condition", [...new Set(study.cells.map((cell) => cell.condition))], changed);
  const search = h("input", { class: "entry", type: "search", id: "search", maxlength: 100, oninput: changed });
  const turn = (by: number) => () => {
    offset = Math.max(0, offset + by);
    void refresh();
  };
  const back = h("button", { type: "button", class: "button quiet", onclick: turn(-PER_PAGE) }, "Earlier");
  const on = h("button", { type: "button", class: "button quiet", onclick: turn(PER_PAGE) }, "Later");
  const wanted = () => ({
    outcome: outcome.select.value,
    condition: condition.select.value,
    q: search.value.trim(),
    offset: String(offset),
    limit: String(PER_PAGE),
  });
  const refresh = async () => {
    const asked = wanted();
    const page = await desk.sessions(study.name, asked);
    const text = JSON.stringify([page, asked]);
    // An answer to what is no longer asked may come last.
    if (text === drawn || JSON.stringify(asked) !== JSON.stringify(wanted())) return;
    drawn = text;
    show(page);
  };
  const show = (page: SessionPage) => {
    const focused = document.activeElement?.getAttribute("href");
    body.replaceChildren(...page.rows.map((row) => rowOf(study.name, row)));
    if (focused) [...body.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus();
    const last = Math.min(page.total, offset + PER_PAGE);
    range.textContent = page.total === 0 ? "No sessions." : `${offset + 1} to ${last} of ${page.total}`;
    back.disabled = offset === 0;
    on.disabled = last >= page.total;
  };
  const element = h(
    "section",
    { class: "panel", "aria-labelledby": "sessions-heading" },
    h(
      "div",
      { class: "panel-top" },
      h("h2", { id: "sessions-heading" }, "Sessions"),
      h(
        "div",
        { class: "filters" },
        h("label", { class: "filter", for: "search" }, "Find id or code"),
        search,
        outcome.label,
        condition.label,
      ),
    ),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "sessions", "aria-labelledby": "sessions-heading" },
        h("thead", {}, h("tr", {}, ...COLUMNS.map((name) => h("th", { scope: "col" }, name)))),
        body,
      ),
    ),
    h("div", { class: "paging" }, range, back, on),
  );
  return { element, refresh };
}

function choice(name: string, options: readonly string[], changed: () => void) {
  const select = h(
    "select",
    { class: "select", onchange: changed },
    h("option", { value: "" }, "All"),
    ...options.map((option) => h("option", { value: option }, option.replaceAll("_", " "))),
  );
  return { select, label: h("label", { class: "filter" }, h("span", {}, name), select) };
}

/** Says how a session stands; an exclusion is said beside its end. */
export function outcomeLabel(outcome: string | null, isExcluded: boolean): HTMLElement {
  const name = outcome ?? "active";
  const badge = h("span", { class: `badge is-${name}` }, name.replaceAll("_", " "));
  return h(
    "span",
    { class: "badges" },
    badge,
    isExcluded && name !== "excluded" ? h("span", { class: "badge is-excluded" }, "excluded") : null,
  );
}

/** Says what the server noticed about a session. */
export function warningsOf(warnings: readonly string[]): HTMLElement | string {
  if (warnings.length === 0) return "–";
  return h("span", { class: "badges" }, ...warnings.map((text) => h("span", { class: "noticed" }, text)));
}

/** Returns the address of one session in the dashboard. */
export function sessionAddress(study: string, sessionId: string): string {
  return `#/${encodeURIComponent(study)}/${encodeURIComponent(sessionId)}`;
}

/** Tells people apart in little room: the beginning of a pseudonym, or the number of a simulated person. */
export function shortName(participantId: string): string {
  const simulated = /^synthetic-(.*?)-?0*(\d+)$/.exec(participantId);
  return simulated ? `${simulated[1]}-${simulated[2]}` : participantId.slice(0, 10);
}

function rowOf(study: string, row: SessionRow): HTMLElement {
  const cells: (Node | string)[] = [
    String(row.arrival + 1),
    h("code", {}, shortName(row.participant_id)),
    kindLabel(row.kind),
    row.condition,
    outcomeLabel(row.outcome, row.excluded_by !== null),
    warningsOf(row.warnings),
    row.step ?? "–",
    new Date(row.started_ms).toLocaleString([], { dateStyle: "short", timeStyle: "short" }),
    minutes(row.minutes),
    row.code ? h("code", {}, row.code) : "–",
    h(
      "a",
      { href: sessionAddress(study, row.session_id), "aria-label": `Replay of arrival ${row.arrival + 1}` },
      "Replay",
    ),
  ];
  return h(
    "tr",
    { "data-session": row.session_id },
    ...cells.map((cell, column) => h("td", { "data-label": COLUMNS[column] }, cell)),
  );
}
