/** Coding: one text at a time, by keyboard or mouse; what is stored is on the server, so a reload loses nothing. */

import { Refused } from "../dashboard/desk";
import type { CodingDesk, QueuedUnit, ShownUnit } from "../schema";
import { freshId, h } from "../shared/dom";
import { addressOf, type Calls, type Scheme } from "./calls";
import { choiceOf } from "./choice";
import { codeSide } from "./code_side";
import { keysOf } from "./keys";
import { progressLine } from "./tasks";
import { unitView } from "./unit";

const N_AHEAD = 2;
/** What is chosen or written about a text and not stored yet; it survives a reload of this window. */
interface Draft {
  readonly codes: string[];
  readonly note: string;
}

/** Draws the page of a scheme for one annotator. */
export function codingView(calls: Calls, scheme: Scheme, desk: CodingDesk): { element: HTMLElement; close(): void } {
  const queue: QueuedUnit[] = desk.queue.map((queued) => ({ ...queued }));
  const fetched = new Map<string, Promise<ShownUnit>>();
  const done: number[] = [];
  let at = firstOpen(queue, 0);
  let isSending = false;
  let shown = "";
  const heading = h("h1", { tabindex: -1 });
  const text = h("div", { class: "read-box", role: "region", "aria-label": "What somebody answered", tabindex: 0 });
  const status = h("p", { class: "status", role: "status" });
  const progress = h("div", {});
  const note = h("textarea", { class: "entry", rows: 2, maxlength: 2000, id: freshId("note"), oninput: () => keep() });
  const choice = choiceOf(desk, () => keep());
  const back = button("Back", () => move(-1), "←");
  const on = button("Skip", () => move(1), "→");
  const undo = button("Undo", () => void takeBack(), "U");
  const save = h(
    "button",
    { type: "submit", class: "button primary" },
    "Save and next",
    h("kbd", { "aria-hidden": "true" }, "Enter"),
  );
  const form = h(
    "form",
    { class: "panel coding", novalidate: true, onsubmit: (event) => void submit(event) },
    h("div", { class: "coding-head" }, heading, progress),
    text,
    choice.element,
    h(
      "details",
      { class: "note-line" },
      h("summary", {}, "Note", h("kbd", { "aria-hidden": "true" }, "N")),
      h("label", { class: "visually-hidden", for: note.id }, "Note about this text"),
      note,
    ),
    h("div", { class: "actions" }, status, back, on, undo, save),
  );
  const finished = h("section", { class: "panel coding", hidden: true });
  const element = h(
    "div",
    { class: "coding-page" },
    h("div", {}, form, finished),
    codeSide(desk.instruction, desk.codes),
  );

  const unitAt = (place: number): Promise<ShownUnit> | null => {
    const queued = queue[place];
    if (!queued) return null;
    const known = fetched.get(queued.unit_id) ?? calls.unit(scheme, queued.unit_id);
    fetched.set(queued.unit_id, known);
    known.catch(() => fetched.delete(queued.unit_id));
    return known;
  };
  const draw = async () => {
    const place = at;
    const queued = queue[place];
    const nCoded = queue.filter((unit) => unit.codes !== null).length;
    progress.replaceChildren(progressLine(nCoded, queue.length));
    undo.disabled = done.length === 0;
    form.hidden = !queued;
    finished.hidden = queued !== undefined;
    if (!queued) return end(nCoded);
    heading.textContent = `${desk.queue.length === 1 ? "The only text" : `Text ${place + 1} of ${queue.length}`}`;
    back.disabled = place === 0;
    const draft = draftOf(scheme, queued);
    choice.put(draft.codes);
    note.value = draft.note;
    if (draft.note) form.querySelector("details")?.setAttribute("open", "");
    else form.querySelector("details")?.removeAttribute("open");
    // Nobody may code a text by the one before it: until it is here, none is shown and nothing is stored.
    shown = "";
    text.replaceChildren();
    try {
      const unit = await unitAt(place);
      if (place !== at || unit === null) return;
      shown = unit.unit_id;
      text.replaceChildren(unitView(unit));
      text.scrollTop = 0;
      heading.focus();
      for (let ahead = 1; ahead <= N_AHEAD; ahead += 1) void unitAt(place + ahead);
    } catch (error) {
      status.textContent = sentenceOf(error);
    }
  };
  const end = (nCoded: number) => {
    const isAll = nCoded === queue.length;
    finished.replaceChildren(
      h("h1", { tabindex: -1 }, isAll ? "All texts are coded. Thank you." : "That was the last text."),
      h("p", {}, isAll ? "You can look at your codes again and change them." : "Some texts are still open."),
      h(
        "div",
        { class: "actions" },
        h("a", { class: "button", href: "#/" }, "To the list"),
        button(isAll ? "Look again" : "To the open texts", () => {
          at = isAll ? 0 : firstOpen(queue, 0);
          void draw();
        }),
      ),
    );
    finished.querySelector("h1")?.focus();
  };
  const keep = () => {
    const queued = queue[at];
    if (queued) sessionStorage.setItem(draftKey(scheme, queued.unit_id), JSON.stringify(said()));
    status.textContent = "";
  };
  const said = (): Draft => ({ codes: choice.chosen(), note: note.value.trim() });
  const move = (by: number) => {
    at = Math.max(0, Math.min(queue.length, at + by));
    status.textContent = "";
    void draw();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const queued = queue[at];
    // Enter first adds a label that is still being typed.
    if (!queued || isSending || shown !== queued.unit_id || choice.take()) return;
    const { codes, note: words } = said();
    if (codes.length === 0 && (desk.phase === "open" || desk.choose === "one")) {
      status.textContent =
        desk.phase === "open" ? "Write a label first, or skip the text." : "Choose a code first, or skip the text.";
      return;
    }
    const isStored = await send(queued, codes, words);
    if (!isStored) return;
    done.push(at);
    at = firstOpen(queue, at);
    await draw();
    status.textContent = "Stored.";
  };
  const send = async (queued: QueuedUnit, codes: string[] | null, words: string): Promise<boolean> => {
    isSending = true;
    try {
      const reply = await calls.give(scheme, queued.unit_id, { codes, note: words, revision: queued.revision });
      Object.assign(queued, { codes, note: codes === null ? "" : words, revision: reply.revision });
      sessionStorage.removeItem(draftKey(scheme, queued.unit_id));
      return true;
    } catch (error) {
      status.textContent = sentenceOf(error);
      return false;
    } finally {
      isSending = false;
    }
  };
  const takeBack = async () => {
    const place = done.at(-1);
    const queued = place === undefined ? undefined : queue[place];
    if (place === undefined || !queued || isSending) return;
    const before = { codes: queued.codes ?? [], note: queued.note };
    if (!(await send(queued, null, ""))) return;
    done.pop();
    at = place;
    // What was chosen is still marked, so that a slip of the finger is one key away from being right.
    sessionStorage.setItem(draftKey(scheme, queued.unit_id), JSON.stringify(before));
    await draw();
    status.textContent = "Undone. Choose again, or save it as it was.";
  };
  const openNote = () => {
    form.querySelector("details")?.setAttribute("open", "");
    note.focus();
  };
  const close = keysOf({
    press: (number) => choice.press(number),
    submit: () => form.requestSubmit(),
    move,
    undo: () => void takeBack(),
    note: openNote,
    leave: () => heading.focus(),
  });
  if (queue.length === 0) {
    finished.replaceChildren(
      h("h1", { tabindex: -1 }, "Nothing to code now"),
      h(
        "p",
        {},
        "Every text so far has enough annotators, or nobody has finished the study yet. Please come back later.",
      ),
      h("div", { class: "actions" }, h("a", { class: "button", href: addressOf(scheme) }, "Look again")),
    );
    form.hidden = true;
    finished.hidden = false;
  } else void draw();
  return { element, close };
}

/** Returns the next place without codes, from here on and then from the start; behind the last one if there is none. */
export function firstOpen(queue: readonly QueuedUnit[], from: number): number {
  const isOpen = (unit: QueuedUnit) => unit.codes === null;
  const later = queue.findIndex((unit, place) => place >= from && isOpen(unit));
  if (later >= 0) return later;
  const earlier = queue.findIndex(isOpen);
  return earlier >= 0 ? earlier : queue.length;
}

function draftOf(scheme: Scheme, queued: QueuedUnit): Draft {
  const kept = sessionStorage.getItem(draftKey(scheme, queued.unit_id));
  if (kept === null) return { codes: queued.codes ?? [], note: queued.note };
  return JSON.parse(kept) as Draft;
}

function draftKey(scheme: Scheme, unitId: string): string {
  return `understudy.coding.${scheme.study}.${scheme.schemeId}.${unitId}`;
}

function button(label: string, act: () => void, key = ""): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: "button quiet", onclick: act },
    label,
    key ? h("kbd", { "aria-hidden": "true" }, key) : null,
  );
}

/** Returns what a failed call tells. */
export function sentenceOf(error: unknown): string {
  return error instanceof Refused
    ? error.message
    : "The server cannot be reached. Nothing was saved; please try again.";
}
