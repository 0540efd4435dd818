/** The shell: brings the picture onto a page and redraws it when a hand moves something. */

import { controlsFor } from "./controls";
import { changed, type Drawn, d, made } from "./drawn";
import type { Layout } from "./layouts";
import { flipsPanel, groupsPanel, tip, tracePanel, wordsPanel } from "./panels";
import { measuredWords, onAPage, titleOf } from "./picture";
import { type Flip, flipsOf, patternOf, reading } from "./reading";
import type { Highlight } from "./trace";
import { partOf, type Verdicts } from "./verdicts";

/** Below this width of the page the picture goes down instead of across. */
const NARROW = 900;
const BESIDE: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
/** A threshold just above the chance at which a verdict changes. */
const ABOVE = 1.0005;

interface View {
  alpha: number;
  group: string | null;
  layout: Layout | "auto";
  pointed: Highlight | null;
  pinned: Highlight | null;
}

export interface Shown {
  readonly alpha: number;
  readonly group: string | null;
}

/** Shows verdicts in an element; returns what takes them away again. */
export function mount(
  verdicts: Verdicts,
  host: HTMLElement,
  tell: (shown: Shown) => void = () => undefined,
): () => void {
  const view: View = { alpha: verdicts.alpha, group: null, layout: "auto", pointed: null, pinned: null };
  const page = new Page(verdicts, view, host);
  const watch = new ResizeObserver(() => page.draw());
  const controls = controlsFor(verdicts, {
    alpha: (alpha) => page.turn({ alpha }),
    layout: (layout) => page.turn({ layout }),
    group: (group) => page.turn({ group }),
  });
  page.begin(controls.element, (flips) => {
    controls.show(view.alpha, view.group, flips);
    tell({ alpha: view.alpha, group: view.group });
  });
  watch.observe(host);
  return () => {
    watch.disconnect();
    host.replaceChildren();
  };
}

class Page {
  readonly #verdicts: Verdicts;
  readonly #view: View;
  readonly #host: HTMLElement;
  readonly #flips = new Map<string | null, Flip[]>();
  #after: (flips: readonly Flip[]) => void = () => undefined;
  #drawn: { head: Drawn; body: Drawn } | null = null;
  #groupsDrawn: { key: string; drawn: Drawn | null } = { key: "", drawn: null };
  #head: Element | null = null;
  #body: Element | null = null;

  constructor(verdicts: Verdicts, view: View, host: HTMLElement) {
    this.#verdicts = verdicts;
    this.#view = view;
    this.#host = host;
  }

  begin(controls: HTMLElement, after: (flips: readonly Flip[]) => void): void {
    this.#after = after;
    const now = this.#drawing();
    this.#drawn = now;
    this.#head = made(now.head);
    this.#body = made(now.body);
    this.#host.classList.add("probe-page");
    this.#host.replaceChildren(this.#head, controls, this.#body);
    this.#listen(this.#body as HTMLElement);
    this.draw();
  }

  turn(change: Partial<View>): void {
    Object.assign(this.#view, change);
    this.draw();
  }

  draw(): void {
    if (this.#drawn === null || this.#head === null || this.#body === null) return;
    const now = this.#drawing();
    changed(this.#head, this.#drawn.head, now.head);
    changed(this.#body, this.#drawn.body, now.body);
    this.#drawn = now;
    this.#after(this.#flipsNow());
  }

  /** Draws the groups anew only where an outcome has changed: most steps of a drag change none. */
  #groups(): Drawn | null {
    const { alpha, group } = this.#view;
    const parts = [this.#verdicts, ...(this.#verdicts.groups ?? []).map(({ verdicts }) => verdicts)];
    const key = `${group} ${parts.map((part) => patternOf(part, alpha)).join(" ")}`;
    if (key !== this.#groupsDrawn.key) this.#groupsDrawn = { key, drawn: groupsPanel(this.#verdicts, alpha, group) };
    return this.#groupsDrawn.drawn;
  }

  #flipsNow(): readonly Flip[] {
    const { group } = this.#view;
    const known = this.#flips.get(group);
    if (known !== undefined) return known;
    const found = flipsOf(partOf(this.#verdicts, group));
    this.#flips.set(group, found);
    return found;
  }

  #drawing(): { head: Drawn; body: Drawn } {
    const { alpha, group, pointed, pinned } = this.#view;
    const part = partOf(this.#verdicts, group);
    const now = reading(part, this.#verdicts.concept, alpha);
    const highlight = pointed ?? pinned;
    const layout =
      this.#view.layout === "auto" ? (this.#host.clientWidth < NARROW ? "vertical" : "horizontal") : this.#view.layout;
    const head = d(
      "header",
      {},
      d("p", { class: "eyebrow" }, "Concept test"),
      d("h1", {}, titleOf(this.#verdicts, group)),
      d("p", { class: "told" }, measuredWords(part, alpha)),
      ...(part.notes ?? []).map((note) => d("p", { class: "told" }, note)),
    );
    const live = onAPage(this.#verdicts, now, { layout, group, highlight, pinned });
    const body = d(
      "div",
      { class: `probe-body is-${layout}` },
      d(
        "div",
        { class: "probe-picture" },
        live.drawn,
        tip(now, highlight, live.rowAt(highlight?.kind === "hypothesis" ? highlight.id : "H1")),
      ),
      d("div", { class: "probe-panels" }, tracePanel(now, highlight), wordsPanel(now), flipsPanel(this.#flipsNow())),
      this.#groups(),
    );
    return { head, body };
  }

  #listen(body: HTMLElement): void {
    body.addEventListener("pointerover", (event) => this.#point(highlightAt(event.target)));
    body.addEventListener("pointerleave", () => this.#point(null));
    body.addEventListener("focusin", (event) => this.#point(highlightAt(event.target)));
    body.addEventListener("focusout", () => this.#point(null));
    body.addEventListener("click", (event) => this.#press(event.target));
    body.addEventListener("keydown", (event) => this.#key(event));
  }

  #point(pointed: Highlight | null): void {
    const before = this.#view.pointed;
    if (before?.kind === pointed?.kind && before?.id === pointed?.id) return;
    this.turn({ pointed });
  }

  #press(target: EventTarget | null): void {
    const element = target instanceof Element ? target : null;
    const group = element?.closest("[data-group]")?.getAttribute("data-group");
    const alpha = element?.closest("[data-alpha]")?.getAttribute("data-alpha");
    const found = highlightAt(target);
    if (group !== null && group !== undefined) this.turn({ group: group === "" ? null : group });
    else if (alpha) this.turn({ alpha: Number((Number(alpha) * ABOVE).toPrecision(5)) });
    else if (found !== null) {
      const { pinned } = this.#view;
      this.turn({ pinned: pinned?.kind === found.kind && pinned.id === found.id ? null : found });
    }
  }

  #key(event: KeyboardEvent): void {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-kind]") : null;
    if (event.key === "Escape") this.turn({ pinned: null });
    if (target === null) return;
    const step = BESIDE[event.key];
    if (step !== undefined) {
      const all = [
        ...(this.#body?.querySelectorAll<HTMLElement>(`[data-kind="${target.getAttribute("data-kind")}"]`) ?? []),
      ];
      const next = all[all.indexOf(target) + step];
      event.preventDefault();
      next?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#press(target);
    }
  }
}

function highlightAt(target: EventTarget | null): Highlight | null {
  const found = target instanceof Element ? target.closest("[data-kind]") : null;
  return found === null
    ? null
    : ({ kind: found.getAttribute("data-kind"), id: found.getAttribute("data-id") } as Highlight);
}
