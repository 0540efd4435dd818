/** Panels: what is confirmed in words, the trace of what is highlighted, and all groups at a glance. */

import { alphaText, chanceText, LARGEST_ALPHA, SMALLEST_ALPHA } from "./chances";
import { type Drawn, d } from "./drawn";
import { stateIcon } from "./icons";
import { countText } from "./picture";
import { conclusions, type Flip, type Reading, statesAt } from "./reading";
import { comparisonOf, type Highlight, indicatorText, type TraceLine, traceOf } from "./trace";
import { HYPOTHESES, type ResultId, type Verdicts } from "./verdicts";
import { RESULT_WORDS } from "./words";

const MARKS: Readonly<Record<TraceLine["kind"], string>> = {
  for: "+",
  against: "−",
  muted: "∅",
  caution: "!",
  silent: "·",
};

/** Says what every confirmed hypothesis means. */
export function wordsPanel(now: Reading): Drawn {
  const found = conclusions(now);
  const items = found.map(({ id, sentence }) =>
    d("li", { "data-confirmed": id }, d("b", {}, id), d("span", {}, sentence)),
  );
  const none = d("p", { class: "hint" }, "No hypothesis is confirmed at this threshold.");
  return d(
    "section",
    { class: "probe-words" },
    d("h2", {}, "Confirmed, in words"),
    found.length > 0 ? d("ul", {}, ...items) : none,
  );
}

/** Tells what led to a verdict, or what a test or a result set says. */
export function tracePanel(now: Reading, highlight: Highlight | null): Drawn {
  const inside =
    highlight === null
      ? [hint()]
      : highlight.kind === "hypothesis"
        ? verdict(now, highlight.id)
        : aside(now, highlight);
  return d(
    "section",
    { class: "probe-trace" },
    d("h2", {}, "What led to it"),
    d("div", { "aria-live": "polite", class: "told" }, ...inside),
  );
}

/** Tells the same beside the hypothesis that is pointed at; those who listen have the panel. */
export function tip(now: Reading, highlight: Highlight | null, at: { above: number; below: number }): Drawn {
  if (highlight?.kind !== "hypothesis") return d("div", { class: "probe-tip", hidden: true });
  const isLow = at.above > 0.45;
  const offset = isLow ? `bottom: ${percent(1 - at.above)}` : `top: ${percent(at.below)}`;
  return d("div", { class: "probe-tip", "aria-hidden": "true", style: offset }, ...verdict(now, highlight.id));
}

/** Shows the verdicts of every group side by side. */
export function groupsPanel(verdicts: Verdicts, alpha: number, chosen: string | null): Drawn | null {
  const groups = verdicts.groups ?? [];
  if (groups.length === 0) return null;
  const heads = HYPOTHESES.map((id) => d("th", { scope: "col" }, id));
  const whole = { name: null, n: verdicts.n_objects, verdicts };
  const rows = [whole, ...groups].map((group) => {
    const states = statesAt(group.verdicts, alpha);
    const name = d(
      "button",
      { type: "button", "data-group": group.name ?? "", "aria-pressed": String(group.name === chosen) },
      group.name ?? "All objects",
    );
    const cells = HYPOTHESES.map((id) => d("td", { class: `is-${states[id]}` }, mark(states[id])));
    return d(
      "tr",
      { class: group.name === chosen ? "is-chosen" : null },
      d("th", { scope: "row" }, name),
      d("td", { class: "n" }, countText(group.n)),
      ...cells,
    );
  });
  const by = verdicts.group_by ? `By ${verdicts.group_by}` : "By group";
  const table = d(
    "table",
    { class: "probe" },
    d("thead", {}, d("tr", {}, d("th", { scope: "col" }, "Group"), d("th", { scope: "col" }, "Objects"), ...heads)),
    d("tbody", {}, ...rows),
  );
  return d(
    "section",
    { class: "probe-groups" },
    d("h2", {}, by),
    d("div", { class: "probe-scroll", tabindex: 0, role: "region", "aria-label": by }, table),
  );
}

/** Lists the thresholds at which a verdict changes, each a button that goes there. */
export function flipsPanel(flips: readonly Flip[]): Drawn {
  const alphas = [...new Set(flips.map((flip) => flip.alpha))].filter(
    (alpha) => alpha >= SMALLEST_ALPHA && alpha <= LARGEST_ALPHA,
  );
  const items = alphas.map((alpha) => {
    const changes = flips.filter((flip) => flip.alpha === alpha).map((flip) => `${flip.hypothesis} ${flip.to}`);
    return d(
      "li",
      {},
      d("button", { type: "button", "data-alpha": String(alpha) }, `above ${chanceText(alpha)}`),
      d("span", {}, changes.join(", ")),
    );
  });
  const none = d(
    "p",
    { class: "hint" },
    `No threshold between ${SMALLEST_ALPHA} and ${LARGEST_ALPHA} changes a verdict.`,
  );
  return d(
    "section",
    { class: "probe-flips" },
    d("h2", {}, "Thresholds that change a verdict"),
    items.length > 0 ? d("ul", {}, ...items) : none,
  );
}

function verdict(now: Reading, id: (typeof HYPOTHESES)[number]): Drawn[] {
  const found = now.rulings[id];
  const claim = now.part.hypotheses.find((hypothesis) => hypothesis.id === id)?.claims[found.state] ?? "";
  const head = d(
    "p",
    { class: `verdict is-${found.state}` },
    d("b", {}, `${id} is ${found.state}`),
    ` (votes ${indicatorText(found.indicator)}). ${claim}`,
  );
  const lines = traceOf(now, id).map(({ kind, text }) =>
    d("li", { class: `is-${kind}` }, d("i", { "aria-hidden": "true" }, MARKS[kind]), d("span", {}, text)),
  );
  return [head, d("ul", {}, ...lines)];
}

function aside(now: Reading, highlight: { kind: "analysis" | "result"; id: string }): Drawn[] {
  if (highlight.kind === "analysis") {
    const analysis = now.part.analyses.find((each) => each.id === highlight.id);
    if (analysis === undefined) return [hint()];
    const effect = analysis.effect === null ? "" : ` Effect size ${analysis.effect.toFixed(2)}.`;
    const interval = ` Difference ${analysis.difference.toFixed(3)}, 95 % interval ${analysis.low.toFixed(3)} to ${analysis.high.toFixed(3)}.`;
    return [
      d("p", { class: "verdict" }, d("b", {}, analysis.id), ` ${comparisonOf(now, analysis.id)}.${interval}${effect}`),
    ];
  }
  const result = now.part.results.find((each) => each.id === highlight.id);
  if (result === undefined) return [hint()];
  const words = RESULT_WORDS[highlight.id as ResultId];
  return [
    d(
      "p",
      { class: "verdict" },
      d("b", {}, words.long),
      ` (${words.told}): mean ${result.mean.toFixed(3)}, 95 % interval ${result.low.toFixed(3)} to ${result.high.toFixed(3)}, ${countText(result.n)} objects.`,
    ),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

function hint(): Drawn {
  return d(
    "p",
    { class: "hint" },
    "Point at a hypothesis, a test or a result, or go there with Tab and the arrow keys. Enter selects it, Escape clears the selection.",
  );
}

function mark(state: Flip["to"]): Drawn {
  return d(
    "svg",
    { viewBox: "-10 -10 20 20", width: 18, height: 18, role: "img", "aria-label": state },
    stateIcon(state),
  );
}

/** Says at which threshold the page stands, for those who listen. */
export function thresholdWords(alpha: number): string {
  return `Threshold ${alphaText(alpha)}`;
}
