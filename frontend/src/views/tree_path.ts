/** Tree path: the comparisons that lead down a decision tree, with what the model decided where the page may say it. */

import type { ShownPicture, TreeFork, TreePath, TreeStep } from "../schema";
import { h } from "../shared/dom";
import type { Context } from "../shared/task";
import { matchRows, type RowColumn } from "./match_rows";
import { scoreText } from "./numbers";

/** What a study calls steps and decisions, and what its page adds to each step. */
export interface PathOptions {
  /** {step} is the number. */
  readonly stepName?: string;
  /** Absent and present. */
  readonly decisionNames?: readonly [string, string];
  readonly columns?: readonly RowColumn[];
}

export function treePath(path: TreePath, context: Context, options: PathOptions = {}): HTMLElement {
  const { picture, steps = [], fork } = path;
  const name = stepNamer(context, options.stepName);
  const element = h("div", { class: "tree-path" });
  if (steps.length > 0)
    element.append(
      stepRows(picture, steps, context, { ...options, rowName: (index) => name(numberOf(steps[index], index + 1)) }),
    );
  if (fork && !options.columns) {
    const names = forkNames(path, context, options);
    const rowName = (index: number) => names[index] ?? "";
    element.append(stepRows(picture, forkSteps(fork), context, { ...options, rowName }));
  }
  return element;
}

/** Draws some steps of a path as rows. */
export function stepRows(
  picture: ShownPicture,
  steps: readonly TreeStep[],
  context: Context,
  options: PathOptions & { readonly rowName: (index: number) => string },
): HTMLElement {
  const { matches } = context.texts.views;
  const hasScores = steps.some(({ similarity }) => typeof similarity === "number");
  const hasDecisions = steps.some(({ is_present }) => typeof is_present === "boolean");
  const decided: RowColumn = {
    heading: [hasScores ? matches.similarity : "", hasDecisions ? matches.decision : ""].filter(Boolean).join(", "),
    name: "decision",
    cell: (index) => {
      const { similarity, is_present } = steps[index] ?? {};
      const score = scoreText(similarity, context);
      return h(
        "div",
        {},
        score === null ? null : h("span", { class: "score" }, score),
        " ",
        chip(is_present ?? null, decisionsOf(context, options)),
      );
    },
  };
  return matchRows(picture, steps, context, {
    rowName: options.rowName,
    spoken: options.rowName,
    link: matches.comparedWith,
    columns: [...(hasScores || hasDecisions ? [decided] : []), ...(options.columns ?? [])],
  });
}

/** The three steps of a fork, the first one and the next one for either decision. */
export function forkSteps({ first, if_absent, if_present }: TreeFork): TreeStep[] {
  return [first, if_absent, if_present];
}

/** What the steps of a fork are called that come after the given ones. */
export function forkNames({ steps = [], fork }: TreePath, context: Context, options: PathOptions): string[] {
  const name = stepNamer(context, options.stepName);
  const { ifDecided } = context.texts.views.matches;
  const next = [fork?.if_absent, fork?.if_present];
  return [
    name(numberOf(fork?.first, steps.length + 1)),
    ...decisionsOf(context, options).map((decision, index) =>
      ifDecided(name(numberOf(next[index], steps.length + 2)), decision),
    ),
  ];
}

/** What the drawing of the whole tree calls a step, or its position on the path. */
function numberOf(step: TreeStep | undefined, position: number): string {
  return step?.number || String(position);
}

/** Returns how steps are called, in the study's words or in those of the page. */
function stepNamer(context: Context, stepName?: string): (number: string) => string {
  return (number) => (stepName ? stepName.replaceAll("{step}", number) : context.texts.views.step(number));
}

function decisionsOf(context: Context, { decisionNames }: PathOptions): readonly [string, string] {
  const { absent, present } = context.texts.views.matches;
  return decisionNames ?? [absent, present];
}

/** A word with a sign, so that the colour is not needed. */
export function chip(isPresent: boolean | null, [absent, present]: readonly [string, string]): HTMLElement | null {
  if (isPresent === null) return null;
  return h(
    "span",
    { class: `chip ${isPresent ? "is-present" : "is-absent"}` },
    h("span", { "aria-hidden": "true" }, isPresent ? "✓" : "✕"),
    " ",
    isPresent ? present : absent,
  );
}
