/** The page all tasks share: one card with a heading, its content, and the way on. */

import type { Answers, Question } from "../schema";
import { type Child, freshId, h } from "./dom";
import { notices } from "./notices";
import type { FieldContext } from "./questions/field";
import { type Form, form } from "./questions/form";
import { allSaved, lastSaved } from "./saved";
import type { Context } from "./task";

export interface PageOptions {
  readonly heading: string;
  readonly eyebrow?: string;
  readonly body: Child[];
  readonly form?: Form | null;
  readonly next?: string;
  readonly isWide?: boolean;
  readonly extra?: Child[];
  /** Takes the press of the way on; returns answers to send, or null to stay. */
  answers?(): Answers | null;
}

export interface Page {
  readonly card: HTMLElement;
  /** Presses the way on. */
  press(): void;
  /** Sends answers given by another control than the way on. */
  send(answers: Answers): Promise<void>;
  /** Says a sentence beside the way on, read aloud. */
  tell(sentence: string): void;
}

/** Draws the page into an element and handles the way on. */
export function page(
  element: HTMLElement,
  context: Context,
  options: PageOptions,
  done: (answers: Answers) => void,
): Page {
  const { texts } = context;
  const status = h("p", { class: "status", role: "status" });
  const next = h("button", { type: "submit", class: "button primary" }, options.next ?? texts.next);
  let isSending = false;
  const send = async (answers: Answers) => {
    if (isSending) return;
    isSending = true;
    status.textContent = "";
    next.setAttribute("aria-disabled", "true");
    const focused = document.activeElement;
    hold(true);
    const late = setTimeout(() => (status.textContent = texts.saving), 400);
    const refusal = await context.commit(answers);
    clearTimeout(late);
    isSending = false;
    next.removeAttribute("aria-disabled");
    status.textContent = refusal ?? "";
    if (refusal === null) return done(answers);
    hold(false);
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  };
  const press = () => {
    const answers = options.answers ? options.answers() : (options.form?.answers() ?? (options.form ? null : {}));
    if (answers !== null) void send(answers);
  };
  const actions = h("div", { class: "actions" }, ...(options.extra ?? []), status, next);
  const card = h(
    "form",
    { class: options.isWide ? "card is-wide" : "card", novalidate: true, autocomplete: "off" },
    options.eyebrow ? h("p", { class: "eyebrow" }, options.eyebrow) : null,
    h("h1", { tabindex: -1 }, options.heading),
    ...(context.isReference ? [] : notices(context)),
    ...options.body,
    options.form?.element,
    context.isReference ? null : actions,
  );
  // What is on its way cannot be changed any more, so the page must not look as if it could, however long that takes.
  const hold = (isHeld: boolean) => {
    for (const part of [...card.children, ...actions.children]) {
      if (part instanceof HTMLElement && part !== actions && part !== next && part !== status) part.inert = isHeld;
    }
  };
  card.addEventListener("submit", (event) => {
    event.preventDefault();
    press();
  });
  element.replaceChildren(card);
  return { card, press: () => next.click(), send, tell: (sentence) => (status.textContent = sentence) };
}

/** How the sliders of a form look. */
export type Sliders = Pick<FieldContext, "starts" | "withUnit">;

/** Makes the form of a task, with drafts kept and given back; `names` are read in place of options. */
export function draftedForm(
  asks: readonly Question[],
  context: Context,
  names: Readonly<Record<string, string>> = {},
  sliders: Sliders = {},
): Form | null {
  if (asks.length === 0 || context.isReference) return null;
  const made = form(asks, {
    texts: context.texts,
    language: context.language,
    names,
    ...sliders,
    changed: () => context.draft(made.draft()),
    ordered: (questionId, options) => orderFor(questionId, options, context),
  });
  made.put(lastSaved(context.saved, "draft")?.answers ?? {});
  for (const question of made.element.querySelectorAll<HTMLElement>("[data-question]")) {
    if (!context.gate?.wrong.includes(question.dataset["question"] ?? "")) continue;
    question.classList.add("was-wrong");
    const note = h("p", { class: "was-wrong-note", id: freshId("wrong") }, context.texts.gate.wrong);
    question.append(note);
    // Heard with the question, and not only after its options.
    const described = [note.id, question.getAttribute("aria-describedby") ?? ""].join(" ").trim();
    question.setAttribute("aria-describedby", described);
  }
  return made;
}

function orderFor(questionId: string, options: readonly string[], context: Context): string[] {
  const kept = allSaved(context.saved, "options_shown").find((shown) => shown.question_id === questionId);
  if (kept?.order.length === options.length) return kept.order;
  const fresh = shuffled(options);
  context.log("options_shown", { question_id: questionId, order: fresh });
  return fresh;
}

function shuffled(options: readonly string[]): string[] {
  const left = [...options];
  return options.flatMap(() => left.splice(Math.floor(Math.random() * left.length), 1));
}
