/** How a live study goes: who leaves where, how long pages take, what it costs, and when it pauses by itself. */

import type { Monitoring } from "../schema";
import { h } from "../shared/dom";
import type { Desk, StudyCounts } from "./desk";
import { clockTime } from "./figures";
import { daysChart, mixBar, stayingChart, stayingInWords, words } from "./monitor_charts";
import { askForReason } from "./reason";
import { wayBack } from "./way_back";

export interface MonitorView {
  readonly element: HTMLElement;
  renew(): Promise<void>;
}

/** Draws the page; `renew` asks the server again and draws only what has changed. */
export async function monitorView(desk: Desk, study: StudyCounts): Promise<MonitorView> {
  const body = h("div", { class: "column" });
  let drawn = "";
  const renew = async () => {
    const found = await desk.monitoring(study.name);
    const text = JSON.stringify(found);
    if (text === drawn) return;
    drawn = text;
    body.replaceChildren(...panels(found, () => unblind(desk, study.name, renew), desk.may("recruit")));
  };
  await renew();
  const element = h("div", { class: "column" }, wayBack(`#/${encodeURIComponent(study.name)}`, study.title), body);
  return { element, renew };
}

function unblind(desk: Desk, study: string, done: () => Promise<void>): void {
  askForReason(
    {
      heading: "Show the names of the conditions?",
      text: "People who know the conditions may treat people and data differently. The log records who asked and why, and the report lists it.",
      button: "Show the names",
    },
    async (reason) => {
      await desk.unblind(study, reason);
      await done();
    },
  );
}

function panels(found: Monitoring, ask: () => void, mayAsk: boolean): HTMLElement[] {
  return [
    head(found, ask, mayAsk),
    panel("Who stays", staying(found)),
    ...(found.days.length > 0 ? [panel("Day by day", daysChart(found.days), daysKey())] : []),
    panel("Pages", pagesTable(found)),
    h("div", { class: "monitor-pair" }, money(found), surroundings(found)),
    ...(found.rules.length > 0 ? [panel("Stop rules", rules(found))] : []),
    ...(found.notes.length > 0 ? [panel("What was done", notes(found))] : []),
  ].filter((part): part is HTMLElement => part !== null);
}

function head(found: Monitoring, ask: () => void, mayAsk: boolean): HTMLElement {
  const marks = [
    found.is_pilot ? h("strong", { class: "badge is-pilot" }, "Pilot") : null,
    found.kind === "synthetic" ? h("strong", { class: "badge is-synthetic" }, "Simulated people") : null,
    found.is_paused ? h("strong", { class: "badge is-paused" }, "Paused") : null,
    found.read_share < 1
      ? h("span", { class: "badge" }, `Reading the log: ${Math.floor(100 * found.read_share)} %`)
      : null,
  ];
  const facts: [string, string][] = [
    ["Completed", `${found.n_completed} of ${found.n_wanted}`],
    ["Started", String(found.n_started)],
    ["Left early", String(found.attrition.left.reduce((sum, n) => sum + n, 0))],
    ["Checks failed", String(found.checks.reduce((sum, check) => sum + check.n_failed, 0))],
  ];
  return h(
    "section",
    { class: "panel" },
    h(
      "div",
      { class: "panel-top" },
      h(
        "div",
        { class: "study-name" },
        h("p", { class: "eyebrow" }, "Monitoring", ...marks),
        h("h1", { tabindex: -1 }, found.title),
      ),
      found.is_blind && mayAsk
        ? h("button", { type: "button", class: "button quiet", onclick: ask }, "Show the names of conditions …")
        : null,
    ),
    found.is_blind
      ? h("p", { class: "hint" }, "Conditions are called A, B, … in random order. Outcomes are not shown here.")
      : null,
    h("dl", { class: "facts" }, ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
  );
}

function staying(found: Monitoring): HTMLElement {
  return h(
    "div",
    {},
    stayingChart(found.pages, found.conditions),
    h("p", { class: "monitor-said" }, stayingInWords(found.pages, found.conditions)),
    h("p", { class: "monitor-said" }, found.attrition.sentence),
    h(
      "p",
      { class: "hint" },
      "Lines also go down for people who are still taking part, and where a gate or a rule ends a session. These people did not leave.",
    ),
  );
}

function daysKey(): HTMLElement {
  const kinds: [string, string][] = [
    ["bar-done", "completed"],
    ["bar-left", "left early"],
    ["bar-rest", "under way, screened out or excluded"],
  ];
  return h(
    "ul",
    { class: "mix-legend" },
    ...kinds.map(([kind, label]) => h("li", {}, h("span", { class: `dot ${kind}` }), label)),
  );
}

/** Writes a median time; less than a second would be rounded to nothing. */
export function typicalTime(medianS: number | null): string {
  if (medianS === null) return "–";
  return medianS < 1 ? "under 1 s" : clockTime(1000 * medianS);
}

function pagesTable({ pages, conditions, checks }: Monitoring): HTMLElement {
  const longest = Math.max(1, ...pages.map((page) => page.median_s ?? 0));
  const headings = ["Page", "Typical time", ...conditions.map((name) => `Left in ${name}`), "Failed"];
  const rows = pages.map((page) => {
    const bar = h("span", {});
    bar.style.setProperty("--share", String((page.median_s ?? 0) / longest));
    const failed = checks.find((check) => check.kind === "gate" && check.check_id === page.block)?.n_failed;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, words(page.block)),
      h(
        "td",
        { class: "bar-cell", "data-label": "Typical time" },
        h("div", { class: "bar-line", "aria-hidden": "true" }, bar),
        h("span", { class: "soft" }, typicalTime(page.median_s)),
      ),
      ...page.left.map((n, index) =>
        h("td", { class: "number", "data-label": headings[index + 2] ?? "" }, n === 0 ? "–" : String(n)),
      ),
      h("td", { class: "number", "data-label": "Failed" }, failed ? String(failed) : "–"),
    );
  });
  const excluded = checks.filter((check) => check.kind === "exclusion");
  return h(
    "div",
    {},
    h(
      "table",
      { class: "sessions monitor-pages" },
      h(
        "thead",
        {},
        h("tr", {}, ...headings.map((name, at) => h("th", { scope: "col", class: at > 1 ? "number" : null }, name))),
      ),
      h("tbody", {}, ...rows),
    ),
    excluded.length > 0
      ? h(
          "p",
          { class: "monitor-said" },
          `Excluded: ${excluded.map((check) => `${words(check.check_id)} ${check.n_failed}`).join(", ")}.`,
        )
      : null,
  );
}

function money({ money: pay }: Monitoring): HTMLElement | null {
  if (pay === null) return null;
  const whole = Math.max(pay.forecast ?? 0, pay.spent, 0.01);
  const fill = h("span", {});
  fill.style.setProperty("--share", String(pay.spent / whole));
  const amount = (value: number) => `${value.toFixed(2)} ${pay.currency}`;
  return panel(
    "Money",
    h("p", { class: "monitor-money" }, h("strong", {}, amount(pay.spent)), " settled so far"),
    h("div", { class: "bar-line", "aria-hidden": "true" }, fill),
    h(
      "p",
      { class: "hint" },
      pay.forecast === null
        ? "There will be a forecast once somebody has completed the study."
        : `About ${amount(pay.forecast)} once all places are filled, ${amount(pay.per_completed ?? 0)} for each completed person. Platform fees are not included.`,
    ),
  );
}

function surroundings({ devices, connections }: Monitoring): HTMLElement | null {
  if (Object.keys(devices).length === 0) return null;
  return panel("Devices and connections", mixBar("Devices", devices), mixBar("Connections", connections));
}

function rules({ rules: states }: Monitoring): HTMLElement {
  return h(
    "ul",
    { class: "monitor-rules" },
    ...states.map((rule) => {
      const fill = h("span", { class: rule.is_reached ? "is-reached" : null });
      fill.style.setProperty("--share", String(Math.min(1, (rule.value ?? 0) / rule.at_least)));
      const now = rule.value === null ? "too few people yet" : rule.is_reached ? "reached" : `now ${short(rule.value)}`;
      return h(
        "li",
        {},
        h(
          "p",
          {},
          h("strong", {}, words(rule.rule_id)),
          ` pauses recruitment when ${rule.limit} `,
          h("span", { class: "soft" }, `(${now})`),
        ),
        h("div", { class: "bar-line", "aria-hidden": "true" }, fill),
      );
    }),
  );
}

function notes({ notes: entries }: Monitoring): HTMLElement {
  const said: Record<string, string> = {
    unblinded: "asked for the names of the conditions",
    recruitment_paused: "paused recruitment",
    recruitment_resumed: "resumed recruitment",
    platform_paused: "paused the study at its platform",
  };
  return h(
    "ul",
    { class: "active-people" },
    ...[...entries]
      .reverse()
      .map((note) =>
        h(
          "li",
          {},
          h("span", { class: "soft" }, new Date(note.at_ms).toLocaleString()),
          h("span", {}, `${note.actor} ${said[note.action] ?? words(note.action)}`),
          note.reason ? h("span", { class: "soft" }, note.reason) : null,
        ),
      ),
  );
}

function panel(heading: string, ...content: (HTMLElement | null)[]): HTMLElement {
  return h("section", { class: "panel monitor-panel", "aria-label": heading }, h("h2", {}, heading), ...content);
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
