/** The participant's own screen, drawn by the player's tasks and only to be looked at. */

import { drawn } from "../player/references";
import { stepFacts } from "../player/step_facts";
import { fetchModules, taskHere } from "../player/task_pages";
import { h } from "../shared/dom";
import { screenDigest } from "../shared/screen_state";
import type { Context, Rendered } from "../shared/task";
import { textsFor } from "../shared/texts";
import { Refused, type StudyCounts } from "./desk";
import type { Screen } from "./moments";

type Surroundings = Pick<StudyCounts, "digest" | "language" | "minutes" | "modules" | "pay" | "shown_title">;

/** How wide the participant's window is taken to be; the drawing is made smaller to fit. */
const WINDOW_PX = 1040;

/** Loads what draws tasks and explanations, those of other packages too; has to be done before a screen is shown. */
export async function loadScreens(study: Surroundings): Promise<void> {
  await fetchModules(study.modules, (address) => mediaOf(study, address)).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refused(409, `The participant's screens cannot be drawn: ${reason}.`);
  });
}

function mediaOf({ digest }: Surroundings, address: string): string {
  return `/m/${digest}/${encodeURIComponent(address)}`;
}

export class ScreenView {
  readonly #stage = h("div", { class: "stage" });
  readonly #aside = h("aside", { class: "aside", "aria-label": "Shown next to the trial", hidden: true });
  readonly #again = h("section", { class: "looked-at", "aria-label": "Opened again by the participant", hidden: true });
  readonly #window = h("div", { class: "window" }, this.#stage, this.#aside, this.#again);
  readonly element = h(
    "div",
    { class: "screen", role: "region", "aria-label": "The participant's screen", tabindex: 0 },
    this.#window,
  );
  #drawn = "";
  #rendered: Rendered | null = null;
  /** The digest of the screen as drawn, to be held against the participant's. */
  digest = "";

  constructor(private readonly study: Surroundings) {}

  /** Makes the drawing as large as there is room. */
  fit(): void {
    const share = this.element.clientWidth / WINDOW_PX;
    if (share > 0) this.#window.style.setProperty("zoom", String(Math.min(1, share)));
  }

  /** Draws a screen and says when it is there; nothing happens when it is drawn already. */
  show(screen: Screen | null, drawn: () => void): void {
    const text = JSON.stringify(screen);
    if (text === this.#drawn) {
      drawn();
      return;
    }
    this.#drawn = text;
    this.close();
    this.digest = "";
    this.#aside.hidden = this.#again.hidden = true;
    const plugin = screen ? taskHere(screen.step.trial.task) : undefined;
    if (!screen || !plugin) {
      this.#stage.replaceChildren(h("p", { class: "hint" }, "There is no screen at this moment."));
      drawn();
      return;
    }
    const { trial } = screen.step;
    const shown = { params: trial.params, asks: trial.asks, explanation: trial.explanation };
    const context = contextOf(screen, this.study);
    const rendered = plugin.render(shown, this.#stage, context, () => undefined);
    this.#rendered = rendered;
    this.#stage.dataset["task"] = trial.task;
    this.#refer(screen, context);
    const still = () => {
      if (this.#rendered !== rendered) return;
      // Before it is frozen: the participant's controls were open.
      this.digest = screenDigest(this.#stage, this.#aside);
      freeze(this.#window);
      rendered.cleanup?.();
      drawn();
    };
    if (rendered.ready) void rendered.ready.then(still);
    else still();
  }

  /** Draws earlier material: what stood beside the trial, and what the participant had opened again. */
  #refer({ step, isLookingBack }: Screen, context: Context): void {
    const always = step.references.filter((reference) => reference.access === "always" && reference.trial !== null);
    const onDemand = step.references.filter(
      (reference) => reference.access === "on_demand" && reference.trial !== null,
    );
    this.#aside.hidden = always.length === 0;
    this.#aside.replaceChildren(...always.map((reference) => drawn(reference, context)));
    this.#again.hidden = !isLookingBack || onDemand.length === 0;
    this.#again.replaceChildren(...(this.#again.hidden ? [] : onDemand.map((reference) => drawn(reference, context))));
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
    title: study.shown_title,
    ...stepFacts(step),
    announced: study,
    saved,
    isReference: false,
    sessionId: "",
    media: (address) => mediaOf(study, address),
    log: () => undefined,
    draft: () => undefined,
    commit: () => Promise.resolve(null),
    touch: () => undefined,
    active_ms: () => 0,
  };
}

function freeze(stage: HTMLElement): void {
  for (const control of stage.querySelectorAll<HTMLInputElement | HTMLButtonElement>("input, button, select, textarea"))
    control.disabled = true;
  for (const region of stage.querySelectorAll("[role=status], [role=alert], [aria-live]")) {
    region.removeAttribute("role");
    region.removeAttribute("aria-live");
  }
}
