/** The code book for researchers: labels of open coding become codes, and closed coding begins. */

import type { BookEntry, BookRequest, CodeBookPage } from "../schema";
import { freshId, h } from "../shared/dom";
import { addressOf, type Calls, type Scheme } from "./calls";
import { wordsOf } from "./choice";
import { sentenceOf } from "./coding";
import { schemePage } from "./scheme_page";

const CHANGES: Record<BookEntry["change"], string> = {
  code_defined: "defined",
  label_renamed: "renamed a label to",
  labels_merged: "merged labels into",
  closed_coding_began: "began closed coding",
};

/** Draws the page; `again` asks the server and draws it anew. */
export function bookView(calls: Calls, scheme: Scheme, page: CodeBookPage, again: () => void): HTMLElement {
  const fault = h("p", { class: "fault", role: "alert" });
  const change = async (asked: Partial<BookRequest> & Pick<BookRequest, "change">) => {
    const whole = { code_id: "", label: "", definition: "", examples: [], merged: [], ...asked };
    await calls
      .changeBook(scheme, whole)
      .then(again)
      .catch((error) => {
        fault.textContent = sentenceOf(error);
      });
  };
  const marked = new Set<string>();
  const isOpen = page.phase === "open";
  const codes = page.codes.map((code) =>
    h("p", { class: "book-code" }, h("strong", {}, wordsOf(code)), ` ${code.definition || "Not defined yet."}`),
  );
  return schemePage(
    { title: page.title, name: "Code book" },
    h("a", { class: "button quiet", href: addressOf(scheme, "agreement") }, "Agreement"),
    [fault, ...codes, codes.length === 0 ? h("p", { class: "hint" }, "No codes yet.") : null],
    [
      isOpen ? labelPanel(page, marked) : null,
      codeForm(isOpen, marked, change),
      isOpen ? beginPanel(page, change) : null,
      page.history.length === 0 ? null : history(page),
    ],
  );
}

function labelPanel(page: CodeBookPage, marked: Set<string>): HTMLElement {
  const rows = page.labels.map((label) => {
    const box = h("input", {
      type: "checkbox",
      id: freshId("label"),
      onchange: () => (box.checked ? marked.add(label.label) : marked.delete(label.label)),
    });
    return h(
      "tr",
      {},
      h("td", { "data-label": "Choose" }, box),
      h("td", { "data-label": "Label" }, h("label", { for: box.id }, label.label)),
      h("td", { "data-label": "Texts" }, String(label.n_texts)),
      h("td", { "data-label": "Who" }, label.annotators.join(", ")),
      h("td", { "data-label": "Code" }, label.code_id || "–"),
    );
  });
  return h(
    "section",
    { class: "panel", "aria-labelledby": "labels-heading" },
    h("h2", { id: "labels-heading" }, "Labels of open coding"),
    rows.length === 0
      ? h("p", { class: "hint" }, "Nobody has written a label yet.")
      : h(
          "table",
          { class: "sessions", "aria-labelledby": "labels-heading" },
          h(
            "thead",
            {},
            h("tr", {}, ...["Choose", "Label", "Texts", "Who", "Code"].map((name) => h("th", { scope: "col" }, name))),
          ),
          h("tbody", {}, ...rows),
        ),
  );
}

type Change = (asked: Partial<BookRequest> & Pick<BookRequest, "change">) => Promise<void>;

function codeForm(isOpen: boolean, marked: Set<string>, change: Change): HTMLElement {
  const id = fieldOf("Short name", h("input", { class: "entry" }));
  const label = fieldOf("What annotators read", h("input", { class: "entry" }));
  const definition = fieldOf("When to give it", h("input", { class: "entry" }));
  const examples = fieldOf("Examples, one on each line", h("textarea", { class: "entry", rows: 3 }));
  const send = (event: Event) => {
    event.preventDefault();
    const lines = examples.field.value.split("\n").map((line) => line.trim());
    void change({
      change: isOpen && marked.size > 0 ? "labels_merged" : "code_defined",
      code_id: id.field.value.trim(),
      label: label.field.value.trim(),
      definition: definition.field.value.trim(),
      examples: lines.filter((line) => line !== ""),
      merged: isOpen ? [...marked] : [],
    });
  };
  const rename = () => void change({ change: "label_renamed", label: label.field.value.trim(), merged: [...marked] });
  return h(
    "form",
    { class: "panel book-form", novalidate: true, onsubmit: send },
    h("h2", {}, isOpen ? "Make a code of the chosen labels" : "Define a code more clearly"),
    id.line,
    label.line,
    definition.line,
    examples.line,
    h(
      "div",
      { class: "actions" },
      isOpen ? h("button", { type: "button", class: "button", onclick: rename }, "Only rename the label") : null,
      h("button", { type: "submit", class: "button primary" }, "Save the code"),
    ),
  );
}

function fieldOf<T extends HTMLInputElement | HTMLTextAreaElement>(name: string, field: T) {
  return { field, line: h("label", { class: "book-field" }, h("span", {}, name), field) };
}

function beginPanel(page: CodeBookPage, change: Change): HTMLElement {
  const left = page.labels.filter((label) => label.code_id === "").length;
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Begin closed coding"),
    h(
      "p",
      {},
      `Annotators then choose from the ${page.codes.length} codes above and code every text again; labels stay in the log. `,
      left > 0 ? `${left} labels belong to no code yet. ` : "",
      "This cannot be undone.",
    ),
    h(
      "div",
      { class: "actions" },
      h(
        "button",
        { type: "button", class: "button", onclick: () => void change({ change: "closed_coding_began" }) },
        "Begin closed coding",
      ),
    ),
  );
}

function history(page: CodeBookPage): HTMLElement {
  return h(
    "details",
    { class: "panel" },
    h("summary", {}, `${page.history.length} changes`),
    h(
      "ul",
      { class: "labels" },
      ...page.history.map((entry) =>
        h(
          "li",
          {},
          `${new Date(entry.at_ms).toLocaleString()} · ${entry.actor} ${CHANGES[entry.change]} `,
          h("strong", {}, entry.label || entry.code_id),
          entry.merged.length > 0 ? ` (${entry.merged.join(", ")})` : "",
        ),
      ),
    ),
  );
}
