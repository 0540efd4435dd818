/** The bar of a preview: where this page is, the way to the others, and that nothing is stored. */

import { h } from "../shared/dom";
import { addressOf, neighbour, type Place, pagesOf } from "./places";

const LANGUAGES: Readonly<Record<string, string>> = { en: "English", de: "Deutsch" };
const TYPING = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]";

/** Draws the bar of a page. */
export function bar(place: Place, conditions: readonly string[], go: (address: string) => void): HTMLElement {
  const { condition, language, page } = place;
  const to = (more: Partial<{ condition: string; trial: string; language: string }>) =>
    go(addressOf({ condition: condition.name, page, language, ...more }));
  const others = Object.fromEntries(itemsOf(place).map(({ trial_id, label }) => [trial_id, label]));
  return h(
    "nav",
    { class: "preview-bar", "aria-label": "Preview" },
    h("strong", { class: "preview-note" }, "Preview – nothing is stored"),
    h("a", { class: "button quiet small", href: "?" }, "Contents"),
    choice("Condition", Object.fromEntries(conditions.map((name) => [name, name])), condition.name, (name) =>
      to({ condition: name }),
    ),
    Object.keys(others).length > 0
      ? choice("Item", { "": "as met", ...others }, place.trial ?? "", (trial) => to(trial ? { trial } : {}))
      : null,
    choice("Language", LANGUAGES, LANGUAGES[language] ? language : "en", (name) => to({ language: name })),
    h("span", { class: "preview-where" }, whereWords(place)),
    h(
      "span",
      { class: "preview-steps" },
      step("← Previous", "Key: p", neighbour(place, -1)),
      step("Next →", "Key: n", neighbour(place, 1)),
    ),
  );
}

/** Lets the keys n and p turn pages, except while somebody types. */
export function turnByKeys(place: Place, go: (address: string) => void): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest(TYPING)) return;
    const address = event.key === "n" ? neighbour(place, 1) : event.key === "p" ? neighbour(place, -1) : null;
    if (address) go(address);
  });
}

/** Says which page this is, such as "Page 7 of 41 · predict 3 of 12". */
export function whereWords({ condition, page }: Place): string {
  const shown = pagesOf(condition)[page - 1];
  if (!shown) return "The end";
  const inBlock = shown.n_positions > 1 ? ` ${shown.position + 1} of ${shown.n_positions}` : "";
  return `Page ${page} of ${condition.n_pages} · ${shown.block.replaceAll("_", " ")}${inBlock}`;
}

function itemsOf({ condition, page }: Place): readonly { trial_id: string; label: string }[] {
  const pages = pagesOf(condition);
  const block = pages[page - 1]?.block;
  return pages.find((shown) => shown.block === block && shown.others.length > 0)?.others ?? [];
}

function step(label: string, hint: string, address: string | null): HTMLElement {
  return address
    ? h("a", { class: "button small", href: address, title: hint }, label)
    : h("button", { type: "button", class: "button small", disabled: true }, label);
}

function choice(
  label: string,
  options: Readonly<Record<string, string>>,
  chosen: string,
  changed: (value: string) => void,
): HTMLElement {
  const list = h(
    "select",
    { class: "entry" },
    ...Object.entries(options).map(([value, text]) => h("option", { value, selected: value === chosen }, text)),
  );
  list.onchange = () => changed(list.value);
  return h("label", { class: "preview-choice" }, h("span", {}, label), list);
}
