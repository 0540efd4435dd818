/** Result files of a static export that were set aside: why, and whether to take each. */

import { h } from "../shared/dom";
import type { Deposit, Desk, StudyCounts } from "./desk";
import { wayBack } from "./way_back";

/** Draws the files that wait; `decided` is called after each decision. */
export async function depositsView(desk: Desk, study: StudyCounts, decided: () => void): Promise<HTMLElement> {
  const { deposits } = await desk.deposits(study.name);
  const fault = h("p", { class: "fault", role: "alert" });
  const decide = async (deposit: Deposit, isTaken: boolean) => {
    const question = `Delete the file of session ${shortened(deposit)}? Nothing of it can be brought back.`;
    if (!isTaken && !confirm(question)) return;
    try {
      await desk.decideDeposit(study.name, deposit.name, isTaken);
      decided();
    } catch (error) {
      fault.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  return h(
    "div",
    { class: "column" },
    wayBack(`#/${encodeURIComponent(study.name)}`, study.title),
    h(
      "section",
      { class: "panel", "aria-labelledby": "deposits-heading" },
      h("h1", { id: "deposits-heading", tabindex: -1 }, "Set aside"),
      h(
        "p",
        { class: "hint" },
        "These result files are in no table, report or pay list. Take a file if you believe it, or delete it.",
      ),
      fault,
      deposits.length === 0
        ? h("p", {}, "No file waits for a decision.")
        : h(
            "table",
            { class: "sessions", "aria-labelledby": "deposits-heading" },
            h(
              "thead",
              {},
              h("tr", {}, ...["Session", "Answers", "Why", "Decision"].map((name) => h("th", { scope: "col" }, name))),
            ),
            h("tbody", {}, ...deposits.map((deposit) => rowOf(deposit, decide))),
          ),
    ),
  );
}

function rowOf(deposit: Deposit, decide: (deposit: Deposit, isTaken: boolean) => Promise<void>): HTMLElement {
  const reasons = deposit.reasons.length > 0 ? deposit.reasons : ["Nothing speaks against it any more."];
  const name = shortened(deposit);
  const buttons = h(
    "div",
    { class: "actions" },
    h(
      "button",
      {
        type: "button",
        class: "button small",
        "aria-label": `Take ${name}`,
        onclick: () => void decide(deposit, true),
      },
      "Take",
    ),
    h(
      "button",
      {
        type: "button",
        class: "button small danger",
        "aria-label": `Delete ${name}`,
        onclick: () => void decide(deposit, false),
      },
      "Delete",
    ),
  );
  const cells: [string, Node | string][] = [
    ["Session", h("span", { title: deposit.name }, name)],
    ["Answers", String(deposit.n_answers)],
    ["Why", h("div", {}, ...reasons.map((reason) => h("p", {}, reason)))],
    ["Decision", buttons],
  ];
  return h("tr", {}, ...cells.map(([label, cell]) => h("td", { "data-label": label }, cell)));
}

/** Sessions have long names, of which the beginning tells them apart. */
function shortened(deposit: Deposit): string {
  return deposit.name.slice(0, 8);
}
