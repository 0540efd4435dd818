/** The contents of a preview: conditions side by side, their parts, and a link to every page and item. */

import type { PreviewCondition, PreviewContents, PreviewPage, PreviewPart } from "../schema";
import { h } from "../shared/dom";
import { addressOf } from "./places";

/** Draws the contents. */
export function contentsView(contents: PreviewContents): HTMLElement {
  const { conditions, title, language } = contents;
  return h(
    "main",
    { class: "preview-contents", id: "content" },
    h(
      "header",
      { class: "preview-head" },
      h("p", { class: "eyebrow" }, "Preview – nothing is stored"),
      h("h1", { tabindex: -1 }, title || contents.name),
      h(
        "p",
        { class: "lead" },
        "Open any page as participants see it. Feedback and later pages follow from the answers of one simulated person in each condition. ",
        "On a page, ",
        h("kbd", {}, "n"),
        " and ",
        h("kbd", {}, "p"),
        " turn to the next and the previous one.",
      ),
    ),
    h("div", { class: "preview-conditions" }, ...conditions.map((condition) => card(condition, language))),
  );
}

function card(condition: PreviewCondition, language: string): HTMLElement {
  const link = (page: number, trial?: string) =>
    addressOf({ condition: condition.name, page, language, ...(trial ? { trial } : {}) });
  const levels = Object.entries(condition.levels).map(([factor, level]) => `${factor}: ${level}`);
  return h(
    "section",
    { class: "preview-condition", "aria-label": condition.name },
    h("h2", {}, condition.name),
    levels.length > 0 ? h("p", { class: "hint" }, levels.join(", ")) : null,
    ...condition.parts.map((part) => partView(part, link)),
    h(
      "p",
      { class: "preview-end" },
      h("a", { href: link(condition.n_pages + 1) }, "The end"),
      h("span", { class: "hint" }, condition.outcome.replaceAll("_", " ")),
    ),
  );
}

type Link = (page: number, trial?: string) => string;

function partView(part: PreviewPart, link: Link): HTMLElement {
  return h(
    "div",
    { class: "preview-part" },
    part.title ? h("h3", {}, part.title) : null,
    h("ol", {}, ...blocksOf(part.pages).map((pages) => blockView(pages, link))),
  );
}

/** Puts the pages of one block together, since a stage may have dozens. */
export function blocksOf(pages: readonly PreviewPage[]): PreviewPage[][] {
  const blocks: PreviewPage[][] = [];
  for (const page of pages) {
    const last = blocks.at(-1);
    if (last && last[0]?.block === page.block) last.push(page);
    else blocks.push([page]);
  }
  return blocks;
}

function blockView(pages: readonly PreviewPage[], link: Link): HTMLElement | null {
  const [first] = pages;
  if (!first) return null;
  const name = first.block.replaceAll("_", " ");
  const others = pages.flatMap((page) => page.others);
  const isOne = pages.length === 1;
  return h(
    "li",
    {},
    h(
      "p",
      { class: "preview-block" },
      isOne ? h("a", { href: link(first.number) }, first.label) : h("span", {}, name),
      h("span", { class: "hint" }, isOne ? first.task.replaceAll("_", " ") : `${pages.length} pages`),
    ),
    isOne ? null : chips(pages.map((page, k) => ({ label: String(k + 1), href: link(page.number), name }))),
    others.length > 0
      ? h(
          "details",
          {},
          h("summary", {}, `${others.length} more ${others.length === 1 ? "item" : "items"}`),
          chips(others.map(({ trial_id, label }) => ({ label, href: link(first.number, trial_id), name }))),
        )
      : null,
  );
}

function chips(links: readonly { label: string; href: string; name: string }[]): HTMLElement {
  return h(
    "p",
    { class: "preview-chips" },
    ...links.map(({ label, href, name }) => h("a", { href, "aria-label": `${name} ${label}` }, label)),
  );
}
