/** The audit log: who did what at this desk, newest first. */

import { h } from "../shared/dom";
import type { AuditEntry, Desk, StudyCounts } from "./desk";
import { sessionAddress } from "./sessions";
import { wayBack } from "./way_back";

const WORDS: Record<AuditEntry["action"], string> = {
  signed_in: "signed in",
  signed_out: "signed out",
  sign_in_refused: "was refused: wrong password",
  session_opened: "opened a session",
  session_excluded: "excluded a session",
  data_copied: "made a copy of a person's data",
  data_erased: "erased a person's data",
  session_labelled: "labelled a session",
  deposit_taken: "took a result file that was set aside",
  deposit_deleted: "deleted a result file that was set aside",
  codes_settled: "settled the codes of a text",
  code_book_changed: "changed the code book",
  agreement_opened: "looked at how annotators agree",
  report_opened: "opened the report",
  export_downloaded: "downloaded the data",
  recruitment_paused: "paused recruitment",
  recruitment_resumed: "resumed recruitment",
  platform_paused: "paused the study at its platform",
  unblinded: "asked for the names of the conditions",
  look_reached: "was reached",
  look_opened: "was seen for the first time",
};

/** Draws the log of one study and of the server as a whole. */
export async function auditView(desk: Desk, study: StudyCounts): Promise<HTMLElement> {
  const { entries } = await desk.audit(study.name);
  const rows = entries.map((entry) => rowOf(study.name, entry));
  return h(
    "div",
    { class: "column" },
    wayBack(`#/${encodeURIComponent(study.name)}`, study.title),
    h(
      "section",
      { class: "panel", "aria-labelledby": "audit-heading" },
      h("h1", { id: "audit-heading", tabindex: -1 }, "Who did what"),
      h("p", { class: "hint" }, "The last 200 actions, newest first. This list cannot be changed."),
      rows.length === 0
        ? h("p", {}, "Nothing yet.")
        : h(
            "table",
            { class: "sessions", "aria-labelledby": "audit-heading" },
            h(
              "thead",
              {},
              h("tr", {}, ...["Time", "Who", "What", "Session"].map((name) => h("th", { scope: "col" }, name))),
            ),
            h("tbody", {}, ...rows),
          ),
    ),
  );
}

function rowOf(study: string, entry: AuditEntry): HTMLElement {
  const isAboutSession = entry.action.startsWith("session_") || entry.action === "deposit_taken";
  const session =
    entry.session_id !== null && entry.arrival !== null
      ? h("a", { href: sessionAddress(study, entry.session_id) }, `Arrival ${entry.arrival + 1}`)
      : isAboutSession
        ? "erased since"
        : "–";
  const cells: [string, Node | string][] = [
    ["Time", new Date(entry.at_ms).toLocaleString()],
    ["Who", entry.actor],
    ["What", WORDS[entry.action]],
    ["Session", session],
  ];
  return h("tr", {}, ...cells.map(([name, cell]) => h("td", { "data-label": name }, cell)));
}
