/** The list of what there is to code. */

import type { CodingTask, CodingTasks } from "../schema";
import { h } from "../shared/dom";
import { addressOf } from "./calls";

/** Draws the list; researchers also find agreement and the code book there. */
export function taskList({ tasks, may_settle, can_code }: CodingTasks): HTMLElement {
  return h(
    "div",
    { class: "column narrow" },
    h("h1", { tabindex: -1 }, "Texts to code"),
    can_code
      ? null
      : h(
          "p",
          { class: "notice" },
          "You are signed in without a name. To code texts, sign in with one: understudy researchers add RUN NAME --role annotator.",
        ),
    tasks.length === 0 ? h("p", {}, "There is nothing to code here: no study has a coding scheme.") : null,
    ...tasks.map((task) => taskCard(task, may_settle, can_code)),
  );
}

function taskCard(task: CodingTask, maySettle: boolean, canCode: boolean): HTMLElement {
  const scheme = { study: task.study, schemeId: task.scheme_id };
  const total = task.n_coded + task.n_left;
  const begin = task.n_left === 0 ? "Look again" : task.n_coded === 0 ? "Start coding" : "Continue coding";
  return h(
    "section",
    { class: "panel task-card", "aria-label": task.title, "data-scheme": task.scheme_id },
    h(
      "div",
      { class: "panel-top" },
      h(
        "div",
        {},
        h("p", { class: "eyebrow" }, task.study_title || "Coding", task.phase === "open" ? " · open coding" : ""),
        h("h2", {}, task.title),
      ),
      h(
        "p",
        { class: "links" },
        canCode && total > 0 ? h("a", { class: "button primary small", href: addressOf(scheme) }, begin) : null,
        maySettle ? h("a", { class: "button quiet", href: addressOf(scheme, "agreement") }, "Agreement") : null,
        maySettle ? h("a", { class: "button quiet", href: addressOf(scheme, "book") }, "Code book") : null,
      ),
    ),
    canCode ? progressLine(task.n_coded, total) : null,
  );
}

/** Draws how far somebody is. */
export function progressLine(nCoded: number, total: number): HTMLElement {
  const text = total === 0 ? "Nothing for you to code now." : `${nCoded} of ${total} coded`;
  const share = total === 0 ? 0 : nCoded / total;
  const bar = h("span", {});
  bar.style.setProperty("--share", String(share));
  return h(
    "div",
    { class: "coded-share" },
    h("div", { class: "progress", "aria-hidden": "true" }, bar),
    h("p", { class: "hint" }, text),
  );
}
