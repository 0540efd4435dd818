/** A disagreement: the text, who said what, and the form for the decision. */

import type { AgreementPage, Dispute, SettleRequest } from "../schema";
import { freshId, h } from "../shared/dom";
import { wordsOf } from "./choice";
import { sentenceOf } from "./coding";
import { unitView } from "./unit";

/** Draws one; `settle` stores a decision. */
export function disputeCard(
  dispute: Dispute,
  page: AgreementPage,
  settle: (decision: SettleRequest) => Promise<unknown>,
): HTMLElement {
  const words = new Map(page.codes.map((code) => [code.code_id, wordsOf(code)]));
  const told = (codes: readonly string[]) => codes.map((code) => words.get(code) ?? code).join(", ") || "no code";
  const { decision } = dispute;
  return h(
    "article",
    { class: "dispute", "data-unit": dispute.unit.unit_id },
    unitView(dispute.unit),
    h(
      "ul",
      { class: "said" },
      ...dispute.given.map((given) =>
        h(
          "li",
          {},
          h("span", { class: "soft" }, `${given.annotator}: `),
          h("strong", {}, told(given.codes)),
          given.note ? h("span", { class: "soft" }, ` – ${given.note}`) : null,
        ),
      ),
    ),
    decision
      ? h("p", { class: "decision" }, h("strong", {}, told(decision.codes)), `: ${decision.reason} (${decision.actor})`)
      : null,
    decideForm(page, settle, decision !== null),
  );
}

function decideForm(
  page: AgreementPage,
  settle: (decision: SettleRequest) => Promise<unknown>,
  isAgain: boolean,
): HTMLElement {
  const name = freshId("decide");
  const inputs = page.codes.map((code) =>
    h("input", { type: page.choose === "one" ? "radio" : "checkbox", name, value: code.code_id }),
  );
  const reason = h("input", { class: "entry", id: freshId("reason"), maxlength: 2000, placeholder: "Reason" });
  const fault = h("p", { class: "fault", role: "alert" });
  const send = async (event: Event) => {
    event.preventDefault();
    const codes = inputs.filter((input) => input.checked).map((input) => input.value);
    if (page.choose === "one" && codes.length === 0) {
      fault.textContent = "Choose the code that counts.";
      return;
    }
    if (reason.value.trim() === "") {
      fault.textContent = "Please give a reason.";
      reason.focus();
      return;
    }
    await settle({ codes, reason: reason.value.trim() }).catch((error) => {
      fault.textContent = sentenceOf(error);
    });
  };
  return h(
    "form",
    { class: "decide", novalidate: true, onsubmit: (event) => void send(event) },
    h(
      "fieldset",
      { class: "decide-codes" },
      h("legend", { class: "visually-hidden" }, "What counts"),
      ...page.codes.map((code, place) =>
        h("label", { class: "small-option" }, inputs[place], h("span", {}, wordsOf(code))),
      ),
    ),
    h("label", { class: "visually-hidden", for: reason.id }, "Reason"),
    reason,
    h("button", { type: "submit", class: "button small" }, isAgain ? "Decide again" : "Settle"),
    fault,
  );
}
