/** Agreement: kappa of pairs, Krippendorff's alpha and confusion as coding goes on, and what waits for a decision. */

import type { AgreementAbout, AgreementPage, PairAgreement } from "../schema";
import { h } from "../shared/dom";
import { addressOf, type Calls, type Scheme } from "./calls";
import { wordsOf } from "./choice";
import { disputeCard } from "./dispute";
import { schemePage } from "./scheme_page";

/** Draws the page; `again` asks the server and draws it anew. */
export function agreementView(calls: Calls, scheme: Scheme, page: AgreementPage, again: () => void): HTMLElement {
  const words = new Map(page.codes.map((code) => [code.code_id, wordsOf(code)]));
  const open = page.disputes.filter((dispute) => dispute.decision === null);
  const decided = page.disputes.filter((dispute) => dispute.decision !== null);
  const card = (dispute: AgreementPage["disputes"][number]) =>
    disputeCard(dispute, page, (decision) => calls.settle(scheme, dispute.unit.unit_id, decision).then(again));
  const links = h(
    "p",
    { class: "links" },
    h("button", { type: "button", class: "button quiet", onclick: again }, "Refresh"),
    h("a", { class: "button quiet", href: addressOf(scheme, "book") }, "Code book"),
  );
  return schemePage(
    { title: page.title, name: "Agreement" },
    links,
    [facts(page, open.length), annotators(page)],
    [
      ...page.agreement.map((about) => aboutPanel(about, words)),
      page.phase === "open"
        ? h(
            "p",
            { class: "notice" },
            "Open coding: annotators use their own words, so there is nothing to compare yet. Merge labels in the code book.",
          )
        : null,
      h(
        "section",
        { class: "panel", "aria-labelledby": "disputes-heading" },
        h(
          "h2",
          { id: "disputes-heading" },
          open.length === 0 ? "No disagreements to settle" : `${open.length} to settle`,
        ),
        h(
          "p",
          { class: "hint" },
          "You see what annotators saw: no person, no condition, no other answer. Each decision is saved with your name and reason.",
        ),
        ...open.map(card),
        decided.length === 0
          ? null
          : h("details", { class: "decided" }, h("summary", {}, `${decided.length} settled`), ...decided.map(card)),
      ),
    ],
  );
}

function facts(page: AgreementPage, nOpen: number): HTMLElement {
  const first = page.agreement[0];
  const kappas = first?.pairs.map((pair) => pair.kappa).filter((kappa) => kappa !== null) ?? [];
  const shown: [string, string][] = [
    ["Texts with all annotators", `${page.n_complete} of ${page.n_units}`],
    [
      "Cohen's kappa",
      kappas.length === 1
        ? figure(kappas[0] ?? null)
        : kappas.length > 1
          ? `${figure(Math.min(...kappas))} to ${figure(Math.max(...kappas))}`
          : "–",
    ],
    ["Krippendorff's alpha", figure(first?.alpha ?? null)],
    ["To settle", String(nOpen)],
  ];
  return h(
    "dl",
    { class: "facts" },
    ...shown.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

function annotators(page: AgreementPage): HTMLElement {
  const lines = page.annotators.map((annotator) =>
    h(
      "li",
      {},
      h("strong", {}, annotator.name),
      ` · ${annotator.n_coded} of ${page.n_units}`,
      annotator.is_synthetic ? h("span", { class: "badge is-synthetic" }, "SYNTHETIC") : null,
      annotator.is_blind || annotator.is_synthetic ? null : h("span", { class: "badge" }, "can see conditions"),
    ),
  );
  return lines.length === 0
    ? h("p", { class: "hint" }, "Nobody has coded a text yet.")
    : h("ul", { class: "people-line" }, ...lines);
}

function aboutPanel(about: AgreementAbout, words: ReadonlyMap<string, string>): HTMLElement {
  const title =
    about.about === "" ? "Codes" : about.about === "groups" ? "Decision" : (words.get(about.about) ?? about.about);
  return h(
    "section",
    { class: "panel", "aria-label": title },
    h(
      "div",
      { class: "panel-top" },
      h("h2", {}, title),
      h("p", { class: "hint" }, `alpha ${figure(about.alpha)} · ${about.n_texts} texts with several annotators`),
    ),
    h("div", { class: "confusions" }, ...about.pairs.map((pair) => confusion(pair, words))),
  );
}

function confusion(pair: PairAgreement, words: ReadonlyMap<string, string>): HTMLElement {
  const most = Math.max(1, ...pair.counts.flat());
  const name = (label: string) => words.get(label) ?? label.replaceAll("_", " ");
  const cell = (count: number, isSame: boolean) => {
    const made = h("td", { class: isSame ? "is-same" : "" }, String(count));
    made.style.setProperty("--share", String(count / most));
    return made;
  };
  return h(
    "table",
    { class: "confusion" },
    h(
      "caption",
      {},
      `${pair.first} (rows) and ${pair.second}: `,
      h("strong", {}, `kappa ${figure(pair.kappa)}`),
      `, ${pair.n_same} of ${pair.n} the same`,
    ),
    h("thead", {}, h("tr", {}, h("td", {}), ...pair.labels.map((label) => h("th", { scope: "col" }, name(label))))),
    h(
      "tbody",
      {},
      ...pair.counts.map((row, place) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, name(pair.labels[place] ?? "")),
          ...row.map((count, other) => cell(count, place === other)),
        ),
      ),
    ),
  );
}

function figure(value: number | null): string {
  return value === null ? "–" : value.toFixed(3);
}
