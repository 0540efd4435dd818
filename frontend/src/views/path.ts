/** EditPath: changes, step by step, and how far the model leans to each answer before and after every one of them. */

import type { Edit, EditPath, Json } from "../schema";
import { type Child, h, words } from "../shared/dom";
import type { Context } from "../shared/task";
import { written } from "./numbers";
import { isSentence, tokensOf } from "./sentence";
import { laidOut } from "./words";

export function path(explanation: EditPath, context: Context): HTMLElement {
  const { views } = context.texts;
  const { steps = [], margin: start = null } = explanation;
  const scale = scaleOf(explanation.labels ?? [], [start, ...steps.map((step) => step.margin ?? null)]);
  const lines = steps.map((step, index) => {
    const before = index === 0 ? [] : (steps[index - 1]?.edits ?? []);
    const fresh = step.edits.filter((edit) => !before.some((earlier) => isSameEdit(earlier, edit)));
    const name = steps.length > 1 || start !== null ? views.step(String(index + 1)) : null;
    return line(
      name,
      fresh.map((edit) => shownEdit(edit, context)),
      gauge(step.margin ?? null, scale, context),
    );
  });
  const first = start === null ? null : line(views.start, [], gauge(start, scale, context));
  return h(
    "div",
    { class: "path" },
    h("p", { class: "claim" }, views.path(explanation.toward)),
    start === null ? null : ends(scale),
    h("ol", { class: "path-steps" }, first, ...lines),
    reading(explanation.input ?? {}, steps.at(-1)?.edits ?? [], context),
  );
}

function line(name: string | null, edits: HTMLElement[], drawn: HTMLElement | null): HTMLElement {
  return h("li", {}, h("div", {}, name === null ? null : h("span", { class: "step-name" }, name), ...edits), drawn);
}

function shownEdit({ feature = null, old, new: changed }: Edit, { texts }: Context): HTMLElement {
  return h(
    "span",
    { class: "edit" },
    feature === null ? null : h("span", { class: "edit-of" }, `${words(feature)} `),
    h("del", {}, old),
    h("span", { "aria-hidden": "true" }, " → "),
    h("span", { class: "visually-hidden" }, ` ${texts.views.replaced} `),
    h("ins", {}, changed),
  );
}

interface Scale {
  readonly most: number;
  readonly labels: readonly [string, string];
}

function scaleOf([left = "", right = ""]: readonly string[], margins: readonly (number | null)[]): Scale {
  return { most: Math.max(1e-9, ...margins.map((margin) => Math.abs(margin ?? 0))), labels: [left, right] };
}

/** A bar from the boundary in the middle to the side of the answer the model leans to. */
function gauge(margin: number | null, { most, labels }: Scale, context: Context): HTMLElement | null {
  if (margin === null) return null;
  const { views } = context.texts;
  const label = labels[margin < 0 ? 0 : 1];
  const bar = h("span", { class: margin < 0 ? "bar is-down" : "bar is-up" });
  bar.style.setProperty("--share", String(Math.abs(margin) / most));
  const said = margin === 0 ? views.tipping : views.leaning(label, written(margin, context));
  const number: Child = h("span", { class: "weight", "aria-hidden": "true" }, written(margin, context));
  return h(
    "div",
    { class: "gauge" },
    h("span", { class: "bars", "aria-hidden": "true" }, bar),
    number,
    h("span", { class: "visually-hidden" }, said),
  );
}

function ends({ labels: [left, right] }: Scale): HTMLElement {
  return h(
    "p",
    { class: "gauge-ends", "aria-hidden": "true" },
    h("span", {}, `← ${left}`),
    h("span", {}, `${right} →`),
  );
}

/** The sentence after all changes, with the new words marked; a record needs none, its changes say all. */
function reading(input: Json, edits: readonly Edit[], context: Context): HTMLElement | null {
  if (!isSentence(input) || edits.length === 0) return null;
  const changed = new Map(edits.map((edit) => [edit.position ?? -1, edit.new]));
  const tokens = tokensOf(input).map((token, index) => changed.get(index) ?? token);
  const drawn = laidOut(tokens, (token, index) => (changed.has(index) ? h("ins", {}, token) : token));
  return h(
    "div",
    { class: "reading" },
    h("p", { class: "sum" }, context.texts.views.reads),
    h("p", { class: "sentence" }, ...drawn),
  );
}

function isSameEdit(edit: Edit, other: Edit): boolean {
  return edit.feature === other.feature && edit.position === other.position && edit.new === other.new;
}
