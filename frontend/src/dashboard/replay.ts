/** Replay: steps, a bar to move along the session, the screen of each moment and the raw event beside it. */

import type { StepState } from "../player/state";
import { h } from "../shared/dom";
import type { SessionRecord, StudyCounts } from "./desk";
import { clockTime } from "./figures";
import { eventWords, type Moment, momentsOf, pauseAfter, type Screen, screenAt } from "./moments";
import { ScreenView } from "./screen";

const SPEEDS = [1, 4, 16];

export class Replay {
  readonly element: HTMLElement;
  #moments: readonly Moment[] = [];
  readonly #screen: ScreenView;
  readonly #bar = h("input", {
    type: "range",
    min: 0,
    step: 1,
    value: 0,
    class: "scrub",
    "aria-label": "Moment of the session",
  });
  readonly #time = h("output", { class: "time", "aria-live": "off" });
  readonly #answered = h("p", { class: "answered" });
  readonly #agreement = h("p", { class: "agreement", role: "status" });
  readonly #hint = h(
    "p",
    { class: "hint" },
    "The size shown is that of your own window until the participant has answered.",
  );
  readonly #raw = h("pre", { class: "raw", tabindex: 0, role: "region", "aria-label": "Raw event" });
  readonly #name = h("h2", {}, "");
  readonly #play = h(
    "button",
    { type: "button", class: "button primary small", onclick: () => this.#toggle() },
    "Play",
  );
  readonly #speed = h(
    "select",
    { class: "select", "aria-label": "Speed" },
    ...SPEEDS.map((speed) => h("option", { value: speed }, `${speed}×`)),
  );
  readonly #list = h("ol", { class: "steps" });
  #steps: readonly HTMLButtonElement[] = [];
  readonly #watcher = new ResizeObserver(() => this.#screen.fit());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #index = 0;

  constructor(
    private record: SessionRecord,
    study: StudyCounts,
  ) {
    this.#screen = new ScreenView(study);
    this.#bar.addEventListener("input", () => this.#leap(Number(this.#bar.value)));
    this.#take(record);
    this.element = this.#layout();
    this.#watcher.observe(this.#screen.element);
    this.go(0);
  }

  /** Takes a session that has gone on meanwhile; a viewer at its last moment follows along. */
  renew(record: SessionRecord): void {
    const isAtEnd = this.#index >= this.#moments.length - 1 && this.#timer === undefined;
    this.#take(record);
    this.go(isAtEnd ? this.#moments.length - 1 : this.#index);
  }

  #take(record: SessionRecord): void {
    this.record = record;
    this.#moments = momentsOf(record.events);
    this.#bar.max = String(Math.max(0, this.#moments.length - 1));
    const fresh = record.steps.slice(this.#steps.length).map((step) => this.#stepButton(step));
    this.#steps = [...this.#steps, ...fresh];
    this.#list.append(...fresh.map((button) => h("li", {}, button)));
  }

  /** Shows one moment. */
  go(index: number): void {
    const moment = this.#moments[index];
    if (!moment) return;
    this.#index = index;
    const screen = screenAt(this.record, this.#moments, index);
    const last = this.#moments.at(-1)?.elapsed_ms ?? 0;
    this.#bar.value = String(index);
    this.#bar.style.setProperty("--share", String(index / Math.max(1, this.#moments.length - 1)));
    this.#bar.setAttribute("aria-valuetext", `${clockTime(moment.elapsed_ms)}, ${eventWords(moment.event)}`);
    this.#time.textContent = `${clockTime(moment.elapsed_ms)} / ${clockTime(last)}`;
    this.#name.textContent = `${index + 1}. ${eventWords(moment.event)}`;
    this.#raw.textContent = JSON.stringify(moment.event, null, 2);
    this.#answered.textContent =
      screen?.rt_ms == null ? "Not answered yet" : `Answered after ${(screen.rt_ms / 1000).toFixed(1)} s`;
    this.#answered.classList.toggle("is-given", screen?.rt_ms != null);
    this.#hint.hidden = screen?.step.trial.task !== "device_check" || screen.response !== null;
    this.#agreement.textContent = "";
    this.#screen.show(screen, () => this.#compare(screen));
    this.#mark(moment.step);
  }

  /** Says whether the answered screen, drawn again, is the one that the participant's page had measured. */
  #compare(screen: Screen | null): void {
    const wanted = screen?.digest ?? null;
    const isSame = wanted === this.#screen.digest;
    this.#agreement.classList.toggle("is-off", wanted !== null && !isSame);
    this.#agreement.textContent =
      wanted === null ? "" : isSame ? "Ends in the state the participant saw" : "Differs from what the participant saw";
  }

  #mark(step: number): void {
    for (const button of this.#steps) {
      if (Number(button.dataset["step"]) !== step) button.removeAttribute("aria-current");
      else if (!button.hasAttribute("aria-current")) {
        button.setAttribute("aria-current", "step");
        // Only the list moves: scrolling the step into view could move the page as well.
        this.#list.scrollTop = button.offsetTop - this.#list.clientHeight / 2;
      }
    }
  }

  /** Stops everything that runs by itself. */
  close(): void {
    this.#pause();
    this.#watcher.disconnect();
    this.#screen.close();
  }

  #leap(index: number): void {
    this.#pause();
    this.go(index);
  }

  #toggle(): void {
    if (this.#timer !== undefined) this.#pause();
    else {
      if (this.#index >= this.#moments.length - 1) this.go(0);
      this.#play.textContent = "Pause";
      this.#wait();
    }
  }

  #wait(): void {
    const pause = pauseAfter(this.#moments, this.#index, Number(this.#speed.value));
    this.#timer = setTimeout(() => {
      this.go(this.#index + 1);
      if (this.#index < this.#moments.length - 1) this.#wait();
      else this.#pause();
    }, pause);
  }

  #pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#play.textContent = "Play";
  }

  #stepButton({ number, trial, position, n_positions }: StepState): HTMLButtonElement {
    const counter = n_positions > 1 ? ` ${position + 1}/${n_positions}` : "";
    const first = () =>
      Math.max(
        0,
        this.#moments.findIndex(({ event }) => "step" in event && event.step === number),
      );
    const [block, task] = [trial.block_id, trial.task].map((name) => name.replaceAll("_", " "));
    return h(
      "button",
      { type: "button", class: "step", "data-step": number, onclick: () => this.#leap(first()) },
      h("span", {}, block + counter),
      " ",
      // A consent block with the task consent need not be said twice.
      h("small", {}, task === block ? "" : task),
    );
  }

  #layout(): HTMLElement {
    const turn = (by: number) => () => this.#leap(Math.max(0, Math.min(this.#moments.length - 1, this.#index + by)));
    const nudge = (by: number, label: string, sign: string) =>
      h("button", { type: "button", class: "button quiet", "aria-label": label, onclick: turn(by) }, sign);
    const controls = h(
      "div",
      { class: "controls" },
      this.#play,
      nudge(-1, "One event back", "‹"),
      nudge(1, "One event on", "›"),
      this.#bar,
      this.#time,
      this.#speed,
    );
    return h(
      "div",
      { class: "replay" },
      h(
        "section",
        { class: "panel viewer", "aria-label": "Replay" },
        controls,
        this.#screen.element,
        h("div", { class: "below" }, this.#answered, this.#agreement, this.#hint),
      ),
      h(
        "div",
        { class: "side" },
        h("nav", { class: "panel", "aria-label": "Steps" }, h("h2", {}, "Steps"), this.#list),
        h("section", { class: "panel", "aria-label": "Event" }, this.#name, this.#raw),
      ),
    );
  }
}
