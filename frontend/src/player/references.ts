/** References: earlier material within reach, drawn by its own task; every look is told. */

import { NO_FEEDBACK } from "../schema";
import { openDialog } from "../shared/dialog";
import { h } from "../shared/dom";
import type { Context } from "../shared/task";
import type { Shell } from "./shell";
import type { ReferenceState } from "./state";
import { taskHere } from "./task_pages";

/** Earlier material stands for itself: not at a place of a stage, not as a second try. */
const ALONE = {
  purpose: "main",
  position: 0,
  nPositions: 0,
  tryNumber: 1,
  saved: [],
  feedback: NO_FEEDBACK,
  isReference: true,
};

/** What people do with earlier material that counts as a look of its own. */
const LOGGED: ReadonlySet<string> = new Set(["tree_opened", "tree_closed"]);

/** Puts what is always shown beside the trial, what explains the whole model behind a button of its own, and the rest
 * behind one button: at the bottom of a long overlay, nobody would find what they were told they can open again.
 */
export function offerReferences(shell: Shell, references: readonly ReferenceState[], context: Context): void {
  const { texts } = context;
  const drawable = references.filter(
    (reference) => reference.trial !== null && taskHere(reference.trial.task) !== undefined,
  );
  const always = drawable.filter((reference) => reference.access === "always");
  const onDemand = drawable.filter((reference) => reference.access === "on_demand");
  shell.aside.hidden = always.length === 0;
  shell.aside.setAttribute("aria-label", texts.references.always);
  shell.aside.replaceChildren(...always.map((reference) => drawn(reference, context)));
  const [explained, pages] = [
    onDemand.filter(explainsModel),
    onDemand.filter((reference) => !explainsModel(reference)),
  ];
  const button = (label: string, behind: readonly ReferenceState[]) =>
    h(
      "button",
      { type: "button", class: "button quiet", "aria-haspopup": "dialog", onclick: () => open(behind, label, context) },
      label,
    );
  shell.again.hidden = onDemand.length === 0;
  shell.again.replaceChildren(
    ...(pages.length > 0 ? [button(texts.references.open, pages)] : []),
    ...explained.map((reference) => button(nameOf(reference, context), [reference])),
  );
}

/** A page to read that explains the whole model; the trials of a stage stay together. */
function explainsModel({ trial }: ReferenceState): boolean {
  return trial?.task === "instructions" && Boolean(trial.explanation);
}

function nameOf({ title, trial }: ReferenceState, { texts }: Context): string {
  const kind = trial?.explanation?.kind ?? "";
  const parts: Readonly<Record<string, string>> = texts.views.parts;
  return title || (parts[kind] ?? texts.references.open);
}

/** Draws earlier material as it was, without its questions and its way on. */
export function drawn(reference: ReferenceState, context: Context): HTMLElement {
  const element = h("div", { class: "reference" });
  const trial = reference.trial;
  const task = trial ? taskHere(trial.task) : undefined;
  if (!trial || !task) return element;
  const shown = { params: trial.params, asks: [], explanation: trial.explanation ?? null };
  const log: Context["log"] = (action, payload) => {
    if (LOGGED.has(action)) context.log(action, payload);
  };
  task.render(shown, element, { ...context, ...ALONE, log }, () => undefined);
  const heading = element.querySelector("h1");
  heading?.replaceWith(h("h2", {}, ...heading.childNodes));
  return element;
}

function open(references: readonly ReferenceState[], name: string, context: Context): void {
  const blocks = references.map((reference) => reference.block);
  context.log("reference_opened", { blocks });
  const shown = references.map((reference) => drawn(reference, context));
  openDialog({
    label: name === context.texts.references.open ? context.texts.references.title : name,
    className: "is-wide",
    body: h("div", { class: "dialog-body", tabindex: 0 }, ...shown),
    close: context.texts.close,
    closed: (open_ms) => context.log("reference_closed", { blocks, open_ms }),
  });
}
