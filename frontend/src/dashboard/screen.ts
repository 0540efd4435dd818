/** The participant's own screen, drawn by the player's tasks and only to be looked at. */

import { h } from "../shared/dom";
import type { Context, Rendered } from "../shared/task";
import { textsFor } from "../shared/texts";
import { TASKS } from "../tasks";
import type { StudyCounts } from "./desk";
import type { Screen } from "./moments";

type Surroundings = Pick<StudyCounts, "digest" | "language" | "title">;

/** How wide the participant's window is taken to be; the drawing is made smaller to fit. */
const WINDOW_PX = 1040;

export class ScreenView {
  readonly #stage = h("div", { class: "stage" });
  readonly element = h("div", { class: "screen", role: "region", "aria-label": "The participant's screen", tabindex: 0 }, this.#stage);
  #drawn = "";
  #rendered: Rendered | null = null;

  constructor(private readonly study: Surroundings) {}

  /** Makes the drawing as large as there is room. */
  fit(): void {
    const share = this.element.clientWidth / WINDOW_PX;
    if (share > 0) this.#stage.style.setProperty("zoom", String(Math.min(1, share)));
  }

  show(screen: Screen | null): void {
    const text = JSON.stringify(screen);
    if (text === this.#drawn) return;
    this.#drawn = text;
    this.close();
    const plugin = screen ? TASKS[screen.step.trial.task] : undefined;
    if (!screen || !plugin) {
      this.#stage.replaceChildren(h("p", { class: "hint" }, "There is no screen at this moment."));
      return;
    }
    const { trial } = screen.step;
    const shown = { params: trial.params, asks: trial.asks ?? [], explanation: trial.explanation ?? null };
    this.#rendered = plugin.render(shown, this.#stage, contextOf(screen, this.study), () => undefined);
    this.#stage.dataset["task"] = trial.task;
    freeze(this.#stage);
    this.#rendered.cleanup?.();
  }

  close(): void {
    this.#rendered?.cleanup?.();
    this.#rendered = null;
  }
}

/** The surroundings of a task nobody can answer: nothing is logged, kept or sent. */
function contextOf({ step, saved }: Screen, study: Surroundings): Context {
  return {
    texts: textsFor(study.language),
    language: study.language,
    title: study.title,
    purpose: step.purpose,
    position: step.position + 1,
    nPositions: step.n_positions,
    tryNumber: step.try_number,
    feedback: step.feedback,
    saved,
    isReference: false,
    media: (address) => `/m/${study.digest}/${encodeURIComponent(address)}`,
    log: () => undefined,
    draft: () => undefined,
    commit: () => Promise.resolve(null),
    touch: () => undefined,
  };
}

function freeze(stage: HTMLElement): void {
  for (const one of stage.querySelectorAll<HTMLInputElement | HTMLButtonElement>("input, button, select, textarea")) one.disabled = true;
  for (const one of stage.querySelectorAll("[role=status], [role=alert], [aria-live]")) {
    one.removeAttribute("role");
    one.removeAttribute("aria-live");
  }
}
