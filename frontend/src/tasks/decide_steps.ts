/** Decide steps: the model's steps down to a fork, and two decisions below; only the way that fits the first is open. */

import type { DecideStepsParams, TreePath } from "../schema";
import { type Child, h } from "../shared/dom";
import { draftedForm } from "../shared/page";
import type { Form } from "../shared/questions/form";
import { type Context, type Render, taskPlugin } from "../shared/task";
import type { RowColumn } from "../views/match_rows";
import { chip, forkNames, forkSteps, stepRows, treePath } from "../views/tree_path";
import { rowPage, takenQuestion } from "./row_page";

const [FIRST, SECOND] = ["decision_1", "decision_2"] as const;

const render: Render<DecideStepsParams> = (shown, element, context, done) => {
  const { params, explanation } = shown;
  const form = draftedForm(shown.asks, context, params.value_names);
  const rows = explanation?.kind === "tree_path" ? drawn(explanation, params, form, context) : [];
  return rowPage(element, context, { params, rows, form }, done);
};

function drawn(path: TreePath, params: DecideStepsParams, form: Form | null, context: Context): Child[] {
  const { step_name: stepName, decision_names: decisionNames } = params;
  const { decide } = context.texts;
  const options = { stepName, decisionNames };
  const given = (path.steps ?? []).length;
  const above = given > 0 ? treePath({ ...path, fork: null }, context, options) : null;
  if (!path.fork) return [above];
  const names = forkNames(path, context, options);
  const { decided } = params;
  const cells = [0, 1, 2].map(() => h("div", { class: "decide" }));
  const columns: RowColumn[] = [
    {
      heading: decided ? context.texts.views.matches.decision : decide.yours,
      name: "rating",
      cell: (index) => cells[index] ?? null,
    },
  ];
  const fork = stepRows(path.picture, forkSteps(path.fork), context, {
    ...options,
    rowName: (index) => names[index] ?? "",
    ...(form || decided ? { columns } : {}),
  });
  const legend = outcomes(params, context);
  if (decided) showDecided(decided, cells, { params, legend, nameOfFirst: names[0] ?? "", context });
  else if (form) follow(form, cells, { params, legend, nameOfFirst: names[0] ?? "", context });
  return [
    above ? h("h3", {}, decide.given) : null,
    above,
    h("h3", {}, decided ? decide.made : decide.open),
    h("div", { class: "fork" }, fork),
    legend.element,
  ];
}

interface Legend {
  readonly element: HTMLElement;
  /** Marks where the decisions lead; nowhere while one is missing. */
  mark(index: number | null): void;
}

interface Following {
  readonly params: DecideStepsParams;
  readonly legend: Legend;
  readonly nameOfFirst: string;
  readonly context: Context;
}

/** Fills in both decisions of a worked example, and marks where they lead. */
function showDecided(decided: readonly [string, string], cells: readonly HTMLElement[], about: Following): void {
  const { params, legend, nameOfFirst, context } = about;
  const [first, second] = decided.map((word) => (params.decision_names as string[]).indexOf(word));
  const [top, ...branches] = cells;
  if (first === undefined || second === undefined || !top) return;
  const mark = chip(first === 1, params.decision_names);
  if (mark) top.append(mark);
  for (const [index, branch] of branches.entries()) {
    const mark = index === first ? chip(second === 1, params.decision_names) : null;
    const closed = context.texts.decide.closed(nameOfFirst, params.decision_names[index] ?? "");
    branch.append(mark ?? h("p", { class: "hint" }, closed));
    branch.closest("tr")?.classList.toggle("is-closed", index !== first);
  }
  legend.mark(2 * first + second);
}

/** Moves the second question to the row that fits the first answer; another first answer clears it. */
function follow(form: Form, cells: readonly HTMLElement[], { params, legend, nameOfFirst, context }: Following): void {
  const [first, second] = [takenQuestion(form, FIRST), takenQuestion(form, SECOND)];
  const [top, ...branches] = cells;
  if (!first || !second || !top) return;
  top.append(first);
  const { decide } = context.texts;
  const show = () => {
    const { [FIRST]: one, [SECOND]: two } = form.draft();
    const chosen = (params.decision_names as unknown[]).indexOf(one);
    for (const [index, branch] of branches.entries()) {
      const closed =
        chosen < 0 ? decide.later(nameOfFirst) : decide.closed(nameOfFirst, params.decision_names[index] ?? "");
      // Putting the question in again where it is already would take the focus away from it.
      if (index !== chosen) branch.replaceChildren(h("p", { class: "hint" }, closed));
      else if (!branch.contains(second)) branch.replaceChildren(second);
      branch.closest("tr")?.classList.toggle("is-closed", index !== chosen);
    }
    const next = (params.decision_names as unknown[]).indexOf(two);
    legend.mark(chosen < 0 || next < 0 ? null : 2 * chosen + next);
  };
  first.addEventListener("change", () => {
    form.put({ [SECOND]: null });
    context.draft(form.draft());
    show();
  });
  second.addEventListener("change", show);
  show();
}

/** Which species each pair of decisions leads to. */
function outcomes(
  { outcomes: names, decision_names: decisions, decided }: DecideStepsParams,
  context: Context,
): Legend {
  const { decide } = context.texts;
  const words = decided ? decide.ofModel : decide.chosen;
  const lines = names.map((name, index) =>
    h(
      "li",
      {},
      h("span", {}, `${decisions[index >> 1] ?? ""} → ${decisions[index & 1] ?? ""}`),
      " ",
      h("strong", {}, name),
      " ",
      h("span", { class: "mark" }, ""),
    ),
  );
  return {
    element: h("div", { class: "outcomes" }, h("h3", {}, decide.legend), h("ul", {}, ...lines)),
    mark(chosen) {
      for (const [index, line] of lines.entries()) {
        line.classList.toggle("is-chosen", index === chosen);
        const mark = line.querySelector(".mark");
        if (mark) mark.textContent = index === chosen ? words : "";
      }
    },
  };
}

export default taskPlugin("decide_steps", "1", render);
