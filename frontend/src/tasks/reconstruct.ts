/** Reconstruct: turn the dials of a live model until its picture matches the target. */

import { board, type Move } from "../dials/board";
import { checklist } from "../dials/checklist";
import { floatsFromText, widthOf } from "../dials/code";
import { type Gallery, gallery } from "../dials/gallery";
import { type Facts, Journal, plain, type Reading } from "../dials/journal";
import { keptFrom, useOf } from "../dials/kept";
import { labelsOf, rememberLabels } from "../dials/labels";
import { meter } from "../dials/meter";
import { type Live, liveFrom } from "../dials/params";
import { agreementWith, squaredError } from "../distances";
import { Undecodable } from "../live/decoder";
import { decoderAt, forget } from "../live/decoders";
import { Latest } from "../live/latest";
import type { Answers, DialsAnswer, ReconstructParams, ReconstructResponse } from "../schema";
import { h } from "../shared/dom";
import { page } from "../shared/page";
import { textBlock } from "../shared/prose";
import { type Context, type Render, type Rendered, taskPlugin } from "../shared/task";

/** A match counts this much below the threshold, as in Python. */
const SLACK = 0.001;
const LOOK_EVERY_MS = 250;

interface Change {
  readonly code: number[];
  /** Null where nobody moved: at the start, and after a failure. */
  readonly move: Move | null;
}

const render: Render<ReconstructParams> = (shown, element, context, done) => {
  const live = liveFrom(shown.params);
  return context.isReference ? lookedAt(live, element, context) : new Question(live, element, context, done).rendered;
};

class Question {
  readonly rendered: Rendered;
  readonly #url: string;
  readonly #journal: Journal;
  readonly #board;
  readonly #meter;
  readonly #gallery: Gallery;
  readonly #checklist;
  readonly #page;
  readonly #next: HTMLButtonElement;
  readonly #skip: HTMLButtonElement;
  readonly #skipIn: HTMLElement;
  readonly #fault: HTMLElement;
  readonly #latest: Latest<Change, Float32Array>;
  readonly #target: Float32Array;
  readonly #agreement: (shown: Float32Array) => number;
  readonly #timer: ReturnType<typeof setInterval>;
  #reading: Reading | null = null;
  #isSolved: boolean;
  #isReleased = false;
  #isFinished = false;
  #drawn: () => void = () => undefined;

  constructor(
    private readonly live: Live,
    element: HTMLElement,
    private readonly context: Context,
    done: (answers: Answers) => void,
  ) {
    const words = context.texts.reconstruct;
    const hasBegun = context.saved.some((event) => event.action === "question_started");
    const kept = keptFrom(context, live.start, live.parts, live.overlay);
    const labels = hasBegun ? kept.labels : labelsOf(context.sessionId, live.decoder.address);
    this.#url = context.media(live.decoder.address);
    this.#journal = new Journal(context);
    this.#target = floatsFromText(live.target);
    this.#agreement = agreementWith(this.#target, live.distance);
    this.#isSolved = kept.isSolved;
    this.#board = board(live.card.dials, {
      texts: context.texts,
      labels: live.labels ? labels : null,
      moved: (move) => this.#ask(move),
      released: () => this.#released(),
      labelled: (dial, label) => this.#labelled(dial, label),
    });
    this.#board.put(kept.code);
    this.#meter = meter(live.threshold, context.texts, context.language);
    this.#gallery = gallery(live, context, kept.isOverlaid, (is_on) => {
      this.#checklist.used("overlay");
      this.#journal.log("overlay", { is_on });
    });
    this.#checklist = checklist(live.uses, kept.uses, context.texts);
    this.#skip = h(
      "button",
      { type: "button", class: "button", hidden: !kept.isSkipOffered || kept.isSolved, onclick: () => this.#giveUp() },
      words.skip,
    );
    // It changes every second, so it is neither read aloud nor part of what a replay compares.
    this.#skipIn = h("p", { class: "skip-in", "aria-live": "off", hidden: true });
    const retry = h(
      "button",
      { type: "button", class: "button quiet", onclick: () => this.#retry() },
      context.texts.retry,
    );
    this.#fault = h("div", { class: "dial-fault", role: "alert", hidden: true }, h("p", {}, words.failed), retry);
    const { text } = live;
    const workbench = h(
      "div",
      { class: "workbench" },
      h("div", {}, this.#board.element, this.#checklist.element),
      h("div", { class: "seen" }, this.#gallery.element, this.#fault, this.#meter.element, this.#skipIn),
    );
    this.#page = page(
      element,
      context,
      {
        heading: headingFor(context),
        body: [textBlock(text), workbench],
        isWide: true,
        extra: [this.#skip],
        next: words.next,
        answers: () => this.#answers(),
      },
      done,
    );
    this.#page.card.classList.add("is-live");
    this.#next = this.#page.card.querySelector<HTMLButtonElement>("button[type=submit]") ?? h("button");
    this.#next.hidden = !kept.isSolved;
    if (kept.isSolved) this.#board.lock();
    this.#latest = new Latest(
      (change) => this.#decoded(change),
      (change, values) => this.#show(change, values),
      (error) => this.#failed(error),
    );
    const ready = new Promise<void>((resolve) => (this.#drawn = resolve));
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#ask(null);
    this.rendered = {
      ready,
      fill: (answers, hands) => {
        const { dials } = answers;
        if (live.uses.includes("overlay")) hands.click(this.#gallery.toggle);
        const name = this.#page.card.querySelector<HTMLInputElement>("input.dial-name");
        if (name && live.uses.includes("labels")) hands.type(name, "brightness");
        const code = typeof dials === "object" && dials !== null && "code" in dials ? dials.code : null;
        if (Array.isArray(code)) this.#board.enter(code, hands);
      },
      press: () => (this.#next.hidden ? this.#skip.hidden || this.#skip.click() : this.#page.press()),
      cleanup: () => this.#close(),
    };
  }

  #ask(move: Move | null): void {
    this.#gallery.element.setAttribute("aria-busy", "true");
    this.#latest.ask({ code: this.#board.code(), move });
  }

  async #decoded({ code }: Change): Promise<Float32Array> {
    await this.#gallery.opened;
    const decoder = await decoderAt(this.#url);
    const values = await decoder.decode(code);
    if (values.length !== this.#target.length || !values.every(Number.isFinite)) throw new Undecodable("no numbers");
    return values;
  }

  #show({ code, move }: Change, values: Float32Array): void {
    if (!this.#latest.hasWaiting) this.#gallery.element.removeAttribute("aria-busy");
    if (this.#isSolved && move !== null) return;
    this.#fault.hidden = true;
    this.#gallery.show(values, this.#target);
    const reading = { code, agreement: this.#agreement(values), sq_err: squaredError(values, this.#target) };
    const isMatch = reading.agreement >= this.live.threshold - SLACK;
    this.#reading = reading;
    this.#meter.show(reading.agreement, isMatch || this.#isSolved);
    if (move === null) this.#journal.started(reading, this.#facts());
    else {
      this.#checklist.used(useOf(this.live.parts[move.dial]));
      const isLast = this.#isReleased && !this.#latest.hasWaiting;
      const isLogged = this.#journal.changed(reading, move, isMatch || isLast);
      if (isLast) this.#isReleased = false;
      this.context.draft({ dials: this.#answer() });
      if (isLogged && this.live.clock === "legacy") this.#offerSkip(this.#journal.legacy_ms);
    }
    if (isMatch && !this.#isSolved) this.#solve(reading);
    if (move === null) {
      this.#gallery.seal();
      this.#drawn();
    }
  }

  #facts(): Facts {
    const { live } = this;
    return {
      widths: live.parts.map(({ dial }) => widthOf(dial)),
      kinds: live.parts.map(({ dial }) => dial.kind),
      inputs: live.parts.map(({ n }) => n),
      threshold: live.threshold,
      distance: live.distance.name,
      ...(live.labels ? { labels: this.#board.labels() } : {}),
    };
  }

  #solve(reading: Reading): void {
    const isAtWork = this.#page.card.contains(document.activeElement);
    this.#isSolved = true;
    this.#latest.drop();
    this.#gallery.element.removeAttribute("aria-busy");
    // What is locked is what matched, even where the hand was quicker than the model.
    this.#board.put(reading.code);
    this.#board.lock();
    this.#journal.solved(reading);
    this.context.draft({ dials: this.#answer() });
    this.#skip.hidden = true;
    this.#next.hidden = false;
    // A locked dial loses the focus; anyone who is elsewhere, as in a replay, stays there.
    if (isAtWork) this.#next.focus({ preventScroll: true });
  }

  #released(): void {
    if (this.#latest.isIdle) this.#journal.release();
    else this.#isReleased = true;
  }

  #labelled(dial: number, label: string): void {
    rememberLabels(this.context.sessionId, this.live.decoder.address, this.#board.labels());
    this.#checklist.used("labels");
    this.#journal.log("labelled", { dial, label });
  }

  #look(): void {
    if (this.live.countdown)
      this.#countDown(this.live.clock === "capped" ? this.context.active_ms() : this.#journal.legacy_ms);
    if (this.live.clock === "capped" || this.live.skip_after_s === 0) this.#offerSkip(this.context.active_ms());
  }

  #countDown(active_ms: number): void {
    const after = this.live.skip_after_s;
    const left_s = after === null ? 0 : Math.ceil(after - active_ms / 1000);
    this.#skipIn.hidden = left_s <= 0 || this.#isSolved || !this.#skip.hidden;
    this.#skipIn.textContent = this.context.texts.reconstruct.skipIn(left_s);
  }

  #offerSkip(active_ms: number): void {
    const after = this.live.skip_after_s;
    if (after === null || this.#isSolved || !this.#skip.hidden || (after > 0 && active_ms <= 1000 * after)) return;
    this.#skip.hidden = false;
    this.#journal.log("skip_offered", {});
  }

  #answer(): DialsAnswer {
    return { code: [...(this.#reading?.code ?? this.#board.code())], outcome: this.#isSolved ? "solved" : "skipped" };
  }

  #answers(): ReconstructResponse | null {
    if (!this.#isSolved) return null;
    if (!this.#checklist.isDone()) {
      this.#page.tell(this.context.texts.reconstruct.usesFirst);
      return null;
    }
    return this.#finished();
  }

  #giveUp(): void {
    if (!this.#isSolved) void this.#page.send(this.#finished());
  }

  #finished(): ReconstructResponse {
    const answer = this.#answer();
    if (!this.#isFinished && this.#reading) {
      this.#journal.release();
      this.#journal.log("finished", { ...plain(this.#reading), outcome: answer.outcome });
    }
    this.#isFinished = true;
    if (this.#reading) this.#board.put(this.#reading.code);
    this.#gallery.seal();
    return { dials: answer };
  }

  #failed(error: unknown): void {
    this.#gallery.element.removeAttribute("aria-busy");
    this.#fault.hidden = false;
    this.#journal.log("decoder_failed", { reason: String(error).slice(0, 200) });
    this.#drawn();
  }

  #retry(): void {
    forget(this.#url);
    this.#ask(null);
  }

  #close(): void {
    clearInterval(this.#timer);
    this.#latest.close();
    this.#meter.close();
  }
}

/** The target alone, where the question is only looked at again. */
function lookedAt(live: Live, element: HTMLElement, context: Context): Rendered {
  const shown = gallery(live, context, false, () => undefined);
  const ready = shown.opened.then(() => shown.show(null, floatsFromText(live.target)));
  const drawn = page(
    element,
    context,
    { heading: headingFor(context), body: [h("div", { class: "seen" }, shown.element)] },
    () => undefined,
  );
  return { press: drawn.press, ready: ready.catch(() => undefined) };
}

function headingFor({ texts, purpose, position, nPositions }: Context): string {
  const words = texts.reconstruct;
  if (nPositions <= 1) return purpose === "practice" ? texts.questionnaire.practice : words.heading;
  return purpose === "practice" ? words.practice(position, nPositions) : words.place(position, nPositions);
}

export default taskPlugin("reconstruct", "1", render);
