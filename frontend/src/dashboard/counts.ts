/** A study in numbers: one row a condition, simulated people apart from real ones. */

import { h } from "../shared/dom";
import { type Cell, downloadOf, type Kind, type Permission, type StudyCounts } from "./desk";
import { isMixed, minutes, nLeft, payPerHour, TOO_FEW, typical } from "./figures";
import { flowFigure } from "./flow";

const COLUMNS = ["Condition", "Completed of wanted", "Wanted", "Completed", "Under way", "Excluded", "Ended early"];

export interface StudyCard {
  readonly element: HTMLElement;
  /** Flow and conditions, apart: on the study's own page the sessions come before them. */
  readonly details: HTMLElement | null;
  update(study: StudyCounts): void;
}

/** Draws the card of a study; its numbers are renewed by `update`, its links stay where they are. */
export function studyCard(study: StudyCounts, isAlone: boolean, may: (permission: Permission) => boolean): StudyCard {
  const numbers = h("div", { class: "numbers" });
  const facts = h("dl", { class: "facts" });
  const badges = h("span", { class: "badges" });
  const title = isAlone ? h("h1", { tabindex: -1 }, study.title) : h("h2", {}, study.title);
  const waiting = h("a", { class: "button quiet", href: `#/${encodeURIComponent(study.name)}/deposits` });
  let drawn = "";
  const update = (now: StudyCounts) => {
    const text = JSON.stringify(now);
    if (text === drawn) return;
    drawn = text;
    facts.replaceChildren(...factsOf(now));
    const kinds = Object.keys(now.kinds) as Kind[];
    badges.replaceChildren(
      ...kinds.map(crowdLabel),
      ...(now.is_pilot ? [h("strong", { class: "badge is-pilot" }, "Pilot")] : []),
      ...(now.is_paused ? [h("strong", { class: "badge is-paused" }, "Paused")] : []),
    );
    waiting.textContent = `Set aside: ${now.n_deposits}`;
    if (now.n_deposits > 0 && may("exclude")) links.append(waiting);
    else waiting.remove();
    numbers.replaceChildren(...kinds.flatMap((kind) => numbersOf(now, kind)));
  };
  const links = h(
    "p",
    { class: "links" },
    isAlone ? null : h("a", { class: "button primary small", href: `#/${encodeURIComponent(study.name)}` }, "Sessions"),
    h(
      "a",
      { class: "button quiet", href: downloadOf(study.name, "report"), target: "_blank", rel: "noopener" },
      "Open the report",
    ),
    may("export")
      ? h(
          "a",
          { class: "button quiet", href: downloadOf(study.name, "export"), download: `${study.name}.zip` },
          "Download the export",
        )
      : null,
    study.n_schemes > 0 && may("settle")
      ? h("a", { class: "button quiet", href: "/admin/annotate" }, "Annotation")
      : null,
    isAlone ? h("a", { class: "button quiet", href: `#/${encodeURIComponent(study.name)}/monitor` }, "Monitor") : null,
    h("a", { class: "button quiet", href: `/preview/${encodeURIComponent(study.name)}`, target: "_blank" }, "Preview"),
    isAlone && may("audit")
      ? h("a", { class: "button quiet", href: `#/${encodeURIComponent(study.name)}/log` }, "Who did what")
      : null,
  );
  update(study);
  const heading = h(
    "div",
    { class: "study-name" },
    h("p", { class: "eyebrow" }, h("span", {}, study.name), badges),
    title,
  );
  const element = h(
    "section",
    { class: "panel", "aria-label": study.title, "data-study": study.name },
    h("div", { class: "panel-top" }, heading, links),
    facts,
    isAlone ? null : numbers,
  );
  const details = isAlone
    ? h(
        "section",
        { class: "panel", "aria-labelledby": "numbers-heading" },
        h("div", { class: "panel-top" }, h("h2", { id: "numbers-heading" }, "Flow and conditions")),
        numbers,
      )
    : null;
  return { element, details, update };
}

/** Says that people are simulated, wherever they are listed. */
export function kindLabel(kind: Kind): HTMLElement {
  return kind === "synthetic"
    ? h("strong", { class: "badge is-synthetic" }, "SYNTHETIC")
    : h("span", { class: "badge" }, "Person");
}

/** Says who comes to a study, so that two runs of one study differ at a glance. */
function crowdLabel(kind: Kind): HTMLElement {
  return kind === "synthetic"
    ? h("strong", { class: "badge is-synthetic" }, "Simulated people")
    : h("span", { class: "badge" }, "People");
}

function numbersOf(study: StudyCounts, kind: Kind): HTMLElement[] {
  const flow = study.flows[kind];
  const cells = study.cells.filter((cell) => cell.kind === kind);
  return [...(flow ? [flowFigure(flow, kind)] : []), table(kind, cells)];
}

function factsOf(study: StudyCounts): HTMLElement[] {
  const sum = (of: (cell: Cell) => number) => String(study.cells.reduce((total, cell) => total + of(cell), 0));
  const isOneKind = !isMixed(study);
  const facts: [string, string][] = [
    ["Completed", isOneKind ? sum((cell) => cell.completed) : "see below"],
    ["Under way", isOneKind ? sum((cell) => cell.active) : "see below"],
    ["Median time", isOneKind ? typical(study, minutes(study.median_minutes)) : "–"],
    ["Pay per hour", isOneKind && study.currency !== null ? typical(study, payPerHour(study)) : "–"],
  ];
  return facts.map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", { class: value === TOO_FEW ? "is-note" : null }, value)),
  );
}

function table(kind: Kind, cells: readonly Cell[]): HTMLElement {
  const caption = kind === "synthetic" ? "Simulated people" : "People";
  return h(
    "table",
    { class: kind === "synthetic" ? "counts is-synthetic" : "counts", "data-kind": kind },
    h("caption", {}, `${caption} `, kind === "synthetic" ? kindLabel(kind) : null),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ...COLUMNS.map((name, column) => h("th", { scope: "col", class: column > 1 ? "number" : null }, name)),
      ),
    ),
    h("tbody", {}, ...cells.map(row)),
  );
}

function row(cell: Cell): HTMLElement {
  const fill = h("span", {});
  fill.style.setProperty("--share", String(cell.quota > 0 ? Math.min(1, cell.completed / cell.quota) : 0));
  const bar = h("div", { class: "bar-line", role: "img", "aria-label": `${cell.completed} of ${cell.quota}` }, fill);
  const figures = {
    wanted: cell.quota,
    completed: cell.completed,
    active: cell.active,
    excluded: cell.excluded,
    left: nLeft(cell),
  };
  return h(
    "tr",
    { "data-condition": cell.condition },
    h("th", { scope: "row" }, cell.condition),
    h("td", { class: "bar-cell" }, bar),
    ...Object.entries(figures).map(([name, value]) => h("td", { class: "number", "data-count": name }, String(value))),
  );
}
