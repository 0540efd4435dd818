/** Board: all dials of a live model in their order, each with its name, together in groups where there are any. */

import type { Dial } from "../schema";
import { type Child, freshId, h } from "../shared/dom";
import type { Hands } from "../shared/hands";
import type { Texts } from "../shared/texts";
import { type Part, partsOf } from "./code";
import type { Control } from "./control";
import { options } from "./options";
import { slider } from "./slider";

/** From so many dials on, rows stand closer. */
const MANY = 7;

export interface Move {
  readonly dial: number;
  readonly dir: number;
}

export interface BoardOptions {
  readonly texts: Texts;
  /** The participant's names for the dials; null where they may not give any. */
  readonly labels: readonly string[] | null;
  moved(move: Move): void;
  released(): void;
  labelled(dial: number, label: string): void;
}

export interface Board {
  readonly element: HTMLElement;
  readonly parts: readonly Part[];
  code(): number[];
  put(code: readonly number[]): void;
  lock(): void;
  enter(code: readonly number[], hands: Hands): void;
  labels(): string[];
}

export function board(dials: readonly Partial<Dial>[], settings: BoardOptions): Board {
  const { texts } = settings;
  const parts = partsOf(dials);
  const labels = parts.map(({ dial }, index) => dial.name || texts.reconstruct.dial(index + 1));
  const names = settings.labels ? labels.map((label, index) => nameField(index, label, settings)) : [];
  const controls = parts.map(({ dial }, index): Control => {
    const moves = { moved: (dir: number) => settings.moved({ dial: index, dir }), released: () => settings.released() };
    const label = labels[index] ?? "";
    return dial.kind === "discrete" ? options(dial, label, texts, moves) : slider(dial, label, moves);
  });
  const rows = controls.map((control, index) => {
    const name = names[index] ?? h("span", { class: "dial-name", "aria-hidden": "true" }, labels[index]);
    return h("div", { class: "dial-row" }, name, control.element);
  });
  const numbersOf = (code: readonly number[], { first, n }: Part) => code.slice(first, first + n);
  const each = (code: readonly number[], act: (control: Control, numbers: number[]) => void) =>
    controls.forEach((control, index) => {
      const part = parts[index];
      if (part) act(control, numbersOf(code, part));
    });
  return {
    element: h(
      "div",
      { class: parts.length > MANY ? "dials is-close" : "dials", role: "group", "aria-label": texts.reconstruct.dials },
      ...grouped(parts, rows),
    ),
    parts,
    code: () => controls.flatMap((control) => control.numbers()),
    put: (code) => each(code, (control, numbers) => control.put(numbers)),
    lock: () => controls.forEach((control) => control.lock()),
    enter: (code, hands) => each(code, (control, numbers) => control.enter(numbers, hands)),
    labels: () => names.map((field) => field.value.trim()),
  };
}

function nameField(index: number, label: string, { texts, labels, labelled }: BoardOptions): HTMLInputElement {
  const kept = labels?.[index] ?? "";
  let last = kept;
  const field = h("input", {
    type: "text",
    class: "dial-name",
    maxlength: 60,
    placeholder: label,
    "aria-label": texts.reconstruct.nameOf(label),
    onchange() {
      if (field.value.trim() === last) return;
      last = field.value.trim();
      labelled(index, last);
    },
  });
  field.value = kept;
  return field;
}

/** Neighbours of one group stand in a frame with its name. */
function grouped(parts: readonly Part[], rows: readonly HTMLElement[]): Child[] {
  const made: HTMLElement[] = [];
  let open = "";
  rows.forEach((row, index) => {
    const group = parts[index]?.dial.group ?? "";
    if (group === "") made.push(row);
    else if (group === open) made.at(-1)?.append(row);
    else {
      const id = freshId("group");
      made.push(h("fieldset", { class: "dial-group", "aria-labelledby": id }, h("legend", { id }, group), row));
    }
    open = group;
  });
  return made;
}
