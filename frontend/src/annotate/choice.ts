/** The codes of a text as controls: one or several of the code book, or free labels. */

import type { Code, CodingDesk } from "../schema";
import { freshId, h } from "../shared/dom";

export interface Choice {
  readonly element: HTMLElement;
  /** What is chosen now. */
  chosen(): string[];
  put(codes: readonly string[]): void;
  /** Presses the control with a number; false if there is none. */
  press(number: number): boolean;
  /** Takes what is typed but not yet added; false if there is nothing. */
  take(): boolean;
}

/** Makes the controls; `changed` is called when something is chosen or taken away. */
export function choiceOf(desk: CodingDesk, changed: () => void): Choice {
  return desk.phase === "open" ? labelChoice(desk.labels, changed) : codeChoice(desk.codes, desk.choose, changed);
}

/** Returns what a code is called. */
export function wordsOf(code: Code): string {
  return code.label || code.code_id.replaceAll("_", " ");
}

function codeChoice(codes: readonly Code[], choose: "one" | "several", changed: () => void): Choice {
  const name = freshId("code");
  const inputs = codes.map((code) =>
    h("input", { type: choose === "one" ? "radio" : "checkbox", name, value: code.code_id, onchange: changed }),
  );
  const element = h(
    "fieldset",
    { class: "codes" },
    h("legend", {}, choose === "one" ? "Which code fits?" : "Which codes fit? You can also choose none."),
    ...codes.map((code, place) =>
      h(
        "label",
        { class: "code-option" },
        inputs[place],
        h("span", { class: "code-words" }, wordsOf(code)),
        place < 9 ? h("kbd", { "aria-hidden": "true" }, String(place + 1)) : null,
      ),
    ),
  );
  return {
    element,
    chosen: () => inputs.filter((input) => input.checked).map((input) => input.value),
    put(chosen) {
      for (const input of inputs) input.checked = chosen.includes(input.value);
    },
    press(number) {
      const input = inputs[number - 1];
      if (!input) return false;
      input.checked = choose === "one" ? true : !input.checked;
      changed();
      return true;
    },
    take: () => false,
  };
}

function labelChoice(known: readonly string[], changed: () => void): Choice {
  const used = new Set(known);
  let labels: string[] = [];
  const list = freshId("labels");
  const field = h("input", { class: "entry", list, maxlength: 80, autocomplete: "off", id: freshId("label") });
  const suggestions = h("datalist", { id: list });
  const chips = h("ul", { class: "chips", "aria-label": "Labels of this text" });
  const draw = () => {
    suggestions.replaceChildren(...[...used].sort().map((label) => h("option", { value: label })));
    chips.replaceChildren(
      ...labels.map((label) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "chip", "aria-label": `Remove ${label}`, onclick: () => toggle(label) },
            label,
            h("span", { "aria-hidden": "true" }, " ×"),
          ),
        ),
      ),
    );
  };
  const toggle = (label: string) => {
    labels = labels.includes(label) ? labels.filter((other) => other !== label) : [...labels, label];
    used.add(label);
    draw();
    changed();
  };
  const take = () => {
    const label = field.value.trim();
    field.value = "";
    if (label === "") return false;
    if (!labels.includes(label)) toggle(label);
    return true;
  };
  draw();
  const element = h(
    "div",
    { class: "codes" },
    h("label", { class: "field-name", for: field.id }, "Label it in your own words"),
    field,
    suggestions,
    h("p", { class: "hint" }, "Enter adds a label. Enter on an empty line saves them and opens the next text."),
    chips,
  );
  return {
    element,
    chosen: () => [...labels],
    put(chosen) {
      labels = [...chosen];
      for (const label of chosen) used.add(label);
      field.value = "";
      draw();
    },
    press: () => false,
    take,
  };
}
