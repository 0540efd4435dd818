/** Shell: what stays around every screen: title, progress, the way out, and the line about the connection. */

import { h } from "../shared/dom";
import type { Texts } from "../shared/texts";
import type { State, StepState } from "./state";

export class Shell {
  readonly stage = h("div", { class: "stage" });
  readonly aside = h("aside", { class: "aside", hidden: true });
  /** The buttons that show earlier material again. */
  readonly again = h("div", { class: "tools", hidden: true });
  readonly stop = h("button", { type: "button", class: "button quiet", hidden: true });
  /** Says that the voice is recorded, and stops it. */
  readonly voice = h("div", { class: "voice", hidden: true });
  readonly #bar = h(
    "div",
    { class: "progress", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100, hidden: true },
    h("span", {}),
  );
  readonly #banner = h("p", { class: "banner", role: "status", hidden: true });
  readonly #ribbon = h("p", { class: "ribbon", hidden: true });
  readonly #title = h("span", { class: "study-title" });
  /** Which part this is, and how long the rest takes. */
  readonly #where = h("p", { class: "where", hidden: true });
  readonly #skip = h("a", { class: "skip", href: "#content" });
  readonly #header = h(
    "header",
    { class: "top" },
    this.#title,
    h("div", { class: "tools" }, this.voice, this.again, this.stop),
  );
  readonly #main = h("main", { id: "content", tabindex: -1 }, this.stage, this.aside);

  constructor(
    private readonly root: HTMLElement,
    private texts: Texts,
  ) {
    root.replaceChildren(this.#skip, this.#ribbon, this.#header, this.#bar, this.#where, this.#banner, this.#main);
    this.speak(texts, texts.tag);
  }

  speak(texts: Texts, language: string): void {
    this.texts = texts;
    document.documentElement.lang = language;
    this.#skip.textContent = texts.skip;
    this.#ribbon.textContent = texts.preview;
    this.#banner.textContent = "";
    this.stop.textContent = texts.menu.stop;
    this.#bar.setAttribute("aria-label", texts.progress);
  }

  follow(state: State): void {
    this.#title.textContent = state.study.title;
    document.title = state.study.title || state.study.name;
    this.#ribbon.hidden = !state.skin.is_preview;
    this.#bar.hidden = state.step === null;
    this.stop.hidden = state.step === null || state.skin.is_preview;
    const share = Math.round(100 * (state.step?.progress ?? 1));
    this.#bar.setAttribute("aria-valuenow", String(share));
    this.#bar.style.setProperty("--share", String(share / 100));
    this.#locate(state.step);
  }

  #locate(step: StepState | null): void {
    const words = this.texts.parts;
    const part = step?.part ? words.titled(step.part.number, step.part.n_parts, step.part.title) : "";
    const left = step?.minutes_left == null ? "" : words.left(Math.round(step.minutes_left));
    this.#where.hidden = part === "" && left === "";
    this.#where.replaceChildren(h("span", {}, part), h("span", { class: "left" }, left));
    // The minutes are read right after it, as text.
    this.#bar.setAttribute("aria-valuetext", `${Math.round(100 * (step?.progress ?? 1))} %`);
  }

  connection(isThere: boolean): void {
    this.#banner.hidden = isThere;
    this.#banner.textContent = isThere ? "" : this.texts.offline;
  }

  /** Shows a screen between two trials; what jsPsych owns stays, and is empty then. */
  between(content: HTMLElement): void {
    this.aside.hidden = true;
    this.again.hidden = true;
    const owned = this.stage.querySelector(":scope > .jspsych-content-wrapper");
    this.stage.replaceChildren(...(owned ? [owned] : []), content);
  }

  /** Puts a screen in place of everything else, and the reader at its heading. */
  show(...content: HTMLElement[]): void {
    this.aside.hidden = true;
    this.again.hidden = true;
    // What was opened over the page before belongs to that page.
    for (const dialog of this.root.ownerDocument.querySelectorAll("dialog")) dialog.close();
    this.stage.replaceChildren(...content);
    this.focusHeading();
  }

  focusHeading(): void {
    this.root.ownerDocument.defaultView?.scrollTo(0, 0);
    this.stage.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }

  /** Replaces the whole page by one message, as when another tab took over. */
  cover(card: HTMLElement): void {
    this.#bar.hidden = this.#where.hidden = this.stop.hidden = true;
    this.show(card);
  }
}
